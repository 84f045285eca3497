import { CoinId } from "../domain/CoinId.ts"
import { NetworkId } from "../domain/NetworkId.ts"
import { seconds } from "../domain/units.ts"
import type { SingleFacts } from "./NetworkFacts.ts"

export const cardano = {
  id: NetworkId.make("cardano"),
  name: "Cardano",
  aliases: ["ada"],
  family: "cardano",
  explorer: (hash) => `https://cardanoscan.io/transaction/${hash}`,
  addressPage: (address) =>
    `https://cardanoscan.io/${address.startsWith("stake1") ? "stakekey" : "address"}/${address}`,
  addressPrefixes: ["addr1", "stake1"],
  finality: 43200,
  blockTime: 20_000,
  platform: "cardano",
  caip2: ["cip34:1-764824073", "cardano:mainnet"],
  native: {
    coinId: CoinId.make("cardano"),
    name: "Cardano",
    symbol: "ADA",
    decimals: 6,
    slip44: 1815,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/cardano/info/logo.png"
  },
  supply: 45_000_000_000_000_000n,
  maxTransferFee: 5_000_000n,
  genesisTime: seconds(1506203091),
  rawTransactions: "send",
  // Of stake addresses. Koios and Blockfrost return them per epoch, without a transaction, a block and a time.
  unlisted: ["staking rewards"],
  indexers: { blockfrost: "https://cardano-mainnet.blockfrost.io/api/v0", koios: "https://api.koios.rest/api/v1" },
  // From the documentation of Koios.
  sampleAddress:
    "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7"
} satisfies SingleFacts
