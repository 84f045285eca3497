import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const ton = {
  id: NetworkId.make("ton"),
  name: "TON",
  aliases: [],
  family: "ton",
  explorer: (hash) => `https://tonviewer.com/transaction/${hash}`,
  addressPage: (address) => `https://tonviewer.com/${address}`,
  finality: 120,
  // Of the masterchain, since April 2026 (docs.ton.org/ecosystem/subsecond).
  blockTime: 400,
  platform: "the-open-network",
  llama: "ton",
  caip2: ["tvm:-239", "ton:-239", "ton:mainnet"],
  native: {
    coinId: CoinId.make("the-open-network"),
    name: "Gram",
    symbol: "GRAM",
    decimals: 9,
    slip44: 607,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ton/info/logo.png"
  },
  // The supply started at 5 billion GRAM and grows by 0.5 % a year: it will not reach this bound within a century.
  supply: 10_000_000_000_000_000_000n,
  maxTransferFee: 500_000_000n,
  genesisTime: seconds(1573776000),
  indexers: { toncenter: "https://toncenter.com", tonapi: "https://tonapi.io" },
  rawTransactions: "lookUp",
  // Of the shards too.
  proxy: { blockTime: 400, testnet: { nodes: ["https://testnet.toncenter.com/api/v2/jsonRPC"] } },
  // The contract that elects validators.
  sampleAddress: "-1:3333333333333333333333333333333333333333333333333333333333333333"
} satisfies SingleFacts
