import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import type { UtxoFacts } from "./UtxoFacts.ts"

// Version bytes as in chainparams.cpp of Litecoin Core. Indexers cannot see coins in its extension blocks (MWEB).

export const litecoin: UtxoFacts = {
  id: NetworkId.make("litecoin"),
  name: "Litecoin",
  aliases: ["ltc"],
  family: "utxo",
  explorer: (hash) => `https://litecoinspace.org/tx/${hash}`,
  addressPage: (address) => `https://litecoinspace.org/address/${address}`,
  addressPrefixes: ["ltc1"],
  finality: 3600,
  blockTime: 150_000,
  caip2: ["bip122:12a765e31ffd4059bada1e25190f6e98"],
  native: {
    coinId: CoinId.make("litecoin"),
    name: "Litecoin",
    symbol: "LTC",
    decimals: 8,
    slip44: 2,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/litecoin/info/logo.png"
  },
  supply: 8_400_000_000_000_000n,
  maxTransferFee: 10_000_000n,
  genesisTime: seconds(1317972665),
  coding: {
    keyHash: [0x30],
    // Script addresses start with M; until 2017 they started with 3, as on Bitcoin.
    scriptHash: [0x32, 0x05],
    hrp: "ltc",
    extended: { Ltub: 0x019da462, Mtub: 0x01b26ef6, zpub: 0x04b24746 },
    // LIP-0003: version 8 is the integrating transaction of each block, version 9 moves coins into the extension block.
    hidden: { name: "MWEB", versions: [8, 9] }
  },
  rawTransactions: "send",
  transactions: {
    witness: true,
    extension: true,
    coinbaseMaturity: 100,
    pegOutMaturity: 6,
    maxAmount: 8_400_000_000_000_000n
  },
  // Litecoin Core 0.21: `DEFAULT_ENABLE_REPLACEMENT` is false.
  mempool: { replaces: "none", increment: 1000n, least: 1000n, countsChildren: true },
  indexers: [
    { kind: "esplora", urls: ["https://litecoinspace.org/api"] },
    { kind: "blockbook", urls: ["https://blockbook.ltc.zelcore.io"] }
  ],
  sampleAddress: "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept"
}
