import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import type { UtxoFacts } from "./UtxoFacts.ts"

// Base58check, BIP-16, BIP-173, BIP-350; extended public keys of BIP-32 with the version bytes of SLIP-132.

export const bitcoin: UtxoFacts = {
  id: NetworkId.make("bitcoin"),
  name: "Bitcoin",
  aliases: ["btc"],
  family: "utxo",
  explorer: (hash) => `https://mempool.space/tx/${hash}`,
  addressPage: (address) => `https://mempool.space/address/${address}`,
  addressPrefixes: ["bc1"],
  finality: 7200,
  blockTime: 600_000,
  caip2: ["bip122:000000000019d6689c085ae165831e93"],
  native: {
    coinId: CoinId.make("bitcoin"),
    name: "Bitcoin",
    symbol: "BTC",
    decimals: 8,
    slip44: 0,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/bitcoin/info/logo.png"
  },
  supply: 2_100_000_000_000_000n,
  maxTransferFee: 1_000_000n,
  genesisTime: seconds(1231006505),
  coding: {
    keyHash: [0x00],
    scriptHash: [0x05],
    hrp: "bc",
    extended: { xpub: 0x0488b21e, ypub: 0x049d7cb2, zpub: 0x04b24746 }
  },
  rawTransactions: "send",
  transactions: { witness: true, coinbaseMaturity: 100, maxAmount: 2_100_000_000_000_000n },
  // Bitcoin Core since 28.0: doc/policy/mempool-replacements.md. Since 30.0 it relays from a tenth of the former rate; the
  // increment of older nodes is ten times as high.
  mempool: { replaces: "any", increment: 1000n, least: 100n, countsChildren: true },
  indexers: [
    { kind: "blockchainInfo", urls: ["https://blockchain.info"] },
    { kind: "esplora", urls: ["https://mempool.space/api", "https://blockstream.info/api"] },
    { kind: "blockbook", urls: ["https://blockbook.btc.zelcore.io"] }
  ],
  sampleAddress: "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"
}
