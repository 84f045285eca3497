import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
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
  native: {
    coinId: CoinId.make("tron"),
    name: "TRON",
    symbol: "TRX",
    decimals: 6,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/tron/info/logo.png"
  },
  // There is no last coin: what an account can hold, of TRX as of TRC-10 tokens, is a signed number of 64 bits.
  supply: 2n ** 63n - 1n,
  maxTransferFee: 5_000_000n,
  // Sun for a unit of energy; it was 420 at most.
  maxEnergyPrice: 5_000n,
  began: 1529884800,
  rawTransactions: "added",
  indexers: { trongrid: "https://api.trongrid.io" },
  sample: "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
} satisfies SingleFacts & { readonly maxEnergyPrice: bigint }
