import * as Either from "effect/Either"
import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import * as Address from "../utxo/address.ts"
import * as Blockbook from "../utxo/sources/Blockbook.ts"
import * as Esplora from "../utxo/sources/Esplora.ts"
import * as Haskoin from "../utxo/sources/Haskoin.ts"
import * as Utxo from "../utxo/Utxo.ts"

// CashAddr with and without its prefix, for tokens too (CHIP-2022-02), and the base58check form from before it.

export const info: Utxo.UtxoInfo = {
  id: NetworkId.make("bch"),
  name: "Bitcoin Cash",
  aliases: ["bitcoin-cash"],
  family: "utxo",
  explorer: (hash) => `https://blockchair.com/bitcoin-cash/transaction/${hash}`,
  finality: 10800,
  native: {
    coinId: CoinId.make("bitcoin-cash"),
    name: "Bitcoin Cash",
    symbol: "BCH",
    decimals: 8,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/bitcoincash/info/logo.png"
  },
  supply: 2_100_000_000_000_000n,
  coding: {
    keyHash: [0x00],
    scriptHash: [0x05],
    cashaddr: "bitcoincash",
    extended: { xpub: 0x0488b21e }
  },
  transactions: { witness: false, most: 2_100_000_000_000_000n },
  sample: "bitcoincash:qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt"
}

/** Recorded answers show only this form to be understood; a script's hash of 32 bytes has none. */
const legacy = (address: string) =>
  Either.match(Address.decode(info, address), {
    onLeft: () => address,
    onRight: (payee) =>
      (payee.kind === "keyHash" || payee.kind === "scriptHash") && payee.hash.length === 20
        ? Address.base58(info.coding, payee.kind, payee.hash)
        : address
  })

export const layer = Utxo.layer(info, [
  Haskoin.source(["https://api.haskoin.com/bch", "https://api.blockchain.info/haskoin-store/bch"]),
  Blockbook.source(["https://blockbook.bch.zelcore.io"]),
  // The times that the public one tells are not those of the blocks.
  Esplora.source(["https://explorer.melroy.org/api"], { spelling: legacy, balancesOnly: true })
])
