import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const polkadot = {
  id: NetworkId.make("polkadot"),
  name: "Polkadot",
  aliases: ["dot"],
  family: "polkadot",
  // Relay chain transactions have a negative order. The hash may be the id of an event: 4092619-event-3.
  explorer: (hash, order = 0) => {
    const page = `https://${order < 0 ? "polkadot" : "assethub-polkadot"}.subscan.io`
    const id = hash.replace(/^relay-/, "")
    return id.includes("-event-") ? `${page}/event/${id.replace("-event", "")}` : `${page}/extrinsic/${id}`
  },
  addressPage: (address) => `https://assethub-polkadot.subscan.io/account/${address}`,
  finality: 300,
  blockTime: 6000,
  platform: "polkadot",
  subchain: "polkadot",
  // Asset Hub; the relay chain is another chain with the same addresses.
  caip2: ["polkadot:68d56f15f85d3136970ec16946040bc1"],
  native: {
    coinId: CoinId.make("polkadot"),
    name: "Polkadot",
    symbol: "DOT",
    decimals: 10,
    slip44: 354,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/polkadot/info/logo.png"
  },
  // Bound for all DOT: the supply was below 2 billion in 2025 and grows by 120 million a year.
  supply: 100_000_000_000_000_000_000n,
  maxTransferFee: 10_000_000_000n,
  genesisTime: seconds(1590451200),
  // 0.01 DOT on Asset Hub (polkadot-fellows/runtimes, constants of asset-hub-polkadot).
  existentialDeposit: 100_000_000n,
  // Nodes of Asset Hub.
  nodes: [
    "https://asset-hub-polkadot-rpc.n.dwellir.com",
    "https://statemint.api.onfinality.io/public",
    "https://dot-rpc.stakeworld.io/assethub"
  ],
  rawTransactions: "added",
  indexers: { subscan: "https://assethub-polkadot.api.subscan.io", "subscan-relay": "https://polkadot.api.subscan.io" },
  // The treasury of the relay chain.
  sampleAddress: "0x6d6f646c70792f74727372790000000000000000000000000000000000000000"
} satisfies SingleFacts & { readonly existentialDeposit: bigint }
