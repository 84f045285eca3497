import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import type { UtxoFacts } from "./UtxoFacts.ts"

// CashAddr with and without its prefix, also for tokens (CHIP-2022-02), and the older base58check form.

export const bch: UtxoFacts = {
  id: NetworkId.make("bch"),
  name: "Bitcoin Cash",
  aliases: ["bitcoin-cash"],
  family: "utxo",
  explorer: (hash) => `https://blockchair.com/bitcoin-cash/transaction/${hash}`,
  addressPage: (address) => `https://blockchair.com/bitcoin-cash/address/${address.replace(/^[a-z]+:/, "")}`,
  finality: 10800,
  blockTime: 600_000,
  // The block of the fork: the first block is that of Bitcoin.
  caip2: ["bip122:000000000000000000651ef99cb9fcbe"],
  native: {
    coinId: CoinId.make("bitcoin-cash"),
    name: "Bitcoin Cash",
    symbol: "BCH",
    decimals: 8,
    slip44: 145,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/bitcoincash/info/logo.png"
  },
  supply: 2_100_000_000_000_000n,
  maxTransferFee: 1_000_000n,
  genesisTime: seconds(1231006505),
  coding: {
    keyHash: [0x00],
    scriptHash: [0x05],
    cashaddr: "bitcoincash",
    extended: { xpub: 0x0488b21e }
  },
  rawTransactions: "send",
  transactions: { witness: false, coinbaseMaturity: 100, maxAmount: 2_100_000_000_000_000n },
  // Bitcoin Cash Node keeps the first transaction, and has no CPFP since 23.0.0 (doc/release-notes).
  mempool: { replaces: "none", increment: 1000n, least: 1000n, countsChildren: false },
  indexers: [
    { kind: "haskoin", urls: ["https://api.haskoin.com/bch", "https://api.blockchain.info/haskoin-store/bch"] },
    { kind: "blockbook", urls: ["https://blockbook.bch.zelcore.io"] },
    // The public instance returns times that are not those of the blocks.
    { kind: "esplora", urls: ["https://explorer.melroy.org/api"], base58Only: true, balancesOnly: true }
  ],
  sampleAddress: "bitcoincash:qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt"
}
