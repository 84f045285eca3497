import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { seconds } from "../../domain/units.ts"
import type { UtxoFacts } from "./UtxoFacts.ts"

// Version bytes as in chainparams.cpp of Dogecoin Core; there are no witness addresses.

export const dogecoin: UtxoFacts = {
  id: NetworkId.make("dogecoin"),
  name: "Dogecoin",
  aliases: ["doge"],
  family: "utxo",
  explorer: (hash) => `https://dogechain.info/tx/${hash}`,
  addressPage: (address) => `https://dogechain.info/address/${address}`,
  finality: 3600,
  blockTime: 60_000,
  // The second is a common mistake.
  caip2: ["bip122:1a91e3dace36e2be3bf030a65679fe82", "bip122:00000000001a91e3dace36e2be3bf030"],
  native: {
    coinId: CoinId.make("dogecoin"),
    name: "Dogecoin",
    symbol: "DOGE",
    decimals: 8,
    slip44: 3,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/doge/info/logo.png"
  },
  // The supply is not limited: it grows by 5.3 billion a year, and reaches this bound not before 2031. It is below 2^64.
  supply: 18_000_000_000_000_000_000n,
  maxTransferFee: 5_000_000_000n,
  genesisTime: seconds(1386325540),
  coding: { keyHash: [0x1e], scriptHash: [0x16], extended: { dgub: 0x02facafd } },
  rawTransactions: "send",
  // `maxAmount` is the limit of one transaction; the supply is not limited.
  transactions: { witness: false, coinbaseMaturity: 240, maxAmount: 1_000_000_000_000_000_000n },
  // Dogecoin Core 1.14: `DEFAULT_ENABLE_REPLACEMENT` is true; rates as in doc/fee-recommendation.md.
  mempool: { replaces: "signalling", increment: 10_000n, least: 100_000n, countsChildren: true, dust: 1_000_000n },
  indexers: [
    { kind: "blockbook", urls: ["https://blockbook.doge.zelcore.io"] },
    // No instance is public.
    { kind: "esplora", urls: [] },
    { kind: "blockCypher", urls: ["https://api.blockcypher.com/v1/doge/main"] }
  ],
  sampleAddress: "D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh"
}
