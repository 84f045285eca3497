import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const tron = {
  id: NetworkId.make("tron"),
  name: "Tron",
  aliases: ["trx"],
  family: "tron",
  explorer: (hash) => `https://tronscan.org/#/transaction/${hash}`,
  addressPage: (address) => `https://tronscan.org/#/address/${address}`,
  finality: 120,
  blockTime: 3000,
  chainId: 728126428,
  platform: "tron",
  llama: "tron",
  caip2: ["tron:728126428", "tron:0x2b6653dc", "tron:mainnet"],
  native: {
    coinId: CoinId.make("tron"),
    name: "TRON",
    symbol: "TRX",
    decimals: 6,
    slip44: 195,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/tron/info/logo.png"
  },
  // The supply is not limited: accounts store TRX and TRC-10 amounts as signed 64-bit numbers.
  supply: 2n ** 63n - 1n,
  maxTransferFee: 5_000_000n,
  // Sun per unit of energy; the highest price so far was 420.
  maxEnergyPrice: 5_000n,
  genesisTime: seconds(1529884800),
  rawTransactions: "added",
  indexers: { trongrid: "https://api.trongrid.io" },
  sampleAddress: "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
} satisfies SingleFacts & { readonly maxEnergyPrice: bigint }
