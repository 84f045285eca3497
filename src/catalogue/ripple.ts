import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const ripple = {
  id: NetworkId.make("ripple"),
  name: "XRP Ledger",
  aliases: ["xrp"],
  family: "ripple",
  explorer: (hash) => `https://xrpscan.com/tx/${hash}`,
  addressPage: (address) => `https://xrpscan.com/account/${address}`,
  finality: 60,
  blockTime: 4000,
  platform: "xrp",
  caip2: ["xrpl:0", "ripple:4109c6f2045fc7eff4cde8f9905d19c2"],
  native: {
    coinId: CoinId.make("ripple"),
    name: "XRP",
    symbol: "XRP",
    decimals: 6,
    slip44: 144,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ripple/info/logo.png"
  },
  // All drops were created at the start; none are added.
  supply: 100_000_000_000_000_000n,
  maxTransferFee: 10_000_000n,
  // In drops. The reserves started at 200 XRP and 50 XRP and have only fallen since.
  maxReserve: { base: 200_000_000n, increment: 50_000_000n },
  genesisTime: seconds(1356998400),
  rawTransactions: "added",
  nodes: ["https://xrplcluster.com", "https://s1.ripple.com:51234", "https://s2.ripple.com:51234"],
  sampleAddress: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
} satisfies SingleFacts & { readonly maxReserve: { readonly base: bigint; readonly increment: bigint } }
