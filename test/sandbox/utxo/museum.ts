import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = (network: string) => ({ network, address: World.museum(network) ?? "" })

/** Forms of answers, and the kind of indexer that has them. */
export const cases: ReadonlyArray<MuseumCase & { readonly kind: string }> = [
  {
    case: "a data output with an empty address",
    fixture: "esplora/btc-tx-core-backend-opreturn-empty-address.json",
    kind: "esplora",
    ...museum("bitcoin"),
    shows: /"scriptpubkey_address":""/
  },
  {
    case: "an output to a bare public key, without an address",
    fixture: "esplora/btc-tx-genesis-coinbase-p2pk.json",
    kind: "esplora",
    ...museum("bitcoin"),
    shows: /"scriptpubkey":"41[0-9a-f]{130}ac"(?:(?!_address)[^{}])*"scriptpubkey_type":"p2pk","value":\d+\}/
  },
  {
    case: "a balance with counts of 0, of an indexer over an Electrum server",
    fixture: "esplora/bch-address-electrum-backend.json",
    kind: "esplora",
    ...museum("bch"),
    shows: /"funded_txo_count":0,"funded_txo_sum":[1-9]\d*,"spent_txo_count":0,"spent_txo_sum":0,"tx_count":[1-9]/
  },
  {
    case: "an address and an amount beside the spent output",
    fixture: "esplora/bch-address-txs-p2sh-multisig.json",
    kind: "esplora",
    ...museum("bch"),
    shows:
      /\{"value":\d+,"is_coinbase":false,"prevout":|"is_coinbase":false,"scriptpubkey":"[0-9a-f]+","scriptpubkey_address":"[^"]+","value":\d+\}/
  },
  {
    case: "new coins without an input",
    fixture: "blockbook/btc-address-txs-coinbase-opreturn.json",
    kind: "blockbook",
    ...museum("bitcoin"),
    shows: /"vin":\[\]/
  },
  {
    case: "a mark of own parties",
    fixture: "blockbook/btc-address-txs-coinbase-opreturn.json",
    kind: "blockbook",
    ...museum("bitcoin"),
    shows: /"isOwn":true/
  },
  {
    case: "a data output with a description instead of an address",
    fixture: "blockbook/btc-address-txs-coinbase-opreturn.json",
    kind: "blockbook",
    ...museum("bitcoin"),
    shows: /"addresses":\["OP_RETURN [^"]+"\],"isAddress":false/
  },
  {
    case: "a transaction without its bytes, whose input has no index",
    fixture: "blockbook/btc-address-txs-coinbase-opreturn.json",
    kind: "blockbook",
    ...museum("bitcoin"),
    shows: /\{"txid":"[0-9a-f]{64}","vin":\[\{"txid":"[0-9a-f]{64}","n":0,/
  },
  {
    case: "more than a hundred inputs of one address",
    fixture: "blockbook/bch-address-115-inputs-huge-total.json",
    kind: "blockbook",
    ...museum("bch"),
    shows: /"n":114,"addresses":/
  },
  {
    case: "a spent output of a transaction that is said to be spent twice",
    fixture: "blockcypher/btc-tx-opreturn-only-double-spend-flag.json",
    kind: "blockcypher",
    ...museum("dogecoin"),
    shows: /"double_spend":true/
  },
  {
    case: "a time with a fraction, before that of the block",
    fixture: "blockcypher/btc-tx-opreturn-only-double-spend-flag.json",
    kind: "blockcypher",
    ...museum("dogecoin"),
    shows: /"received":"[-\d]+T[:\d]+\.\d+Z"/
  },
  {
    case: "an output without addresses",
    fixture: "blockcypher/btc-tx-opreturn-only-double-spend-flag.json",
    kind: "blockcypher",
    ...museum("dogecoin"),
    shows: /"value":0,[^{}]*"addresses":null/
  },
  {
    case: "a fee of 0",
    fixture: "blockcypher/btc-tx-p2pk-legacy-zero-fee.json",
    kind: "blockcypher",
    ...museum("dogecoin"),
    shows: /"fees":0,/
  },
  {
    case: "an output without an address",
    fixture: "blockchain-info/btc-rawtx-opreturn-only.json",
    kind: "blockchain-info",
    ...museum("bitcoin"),
    shows: /"out":\[\{(?:(?!"addr")[^}])*\}\]/
  },
  {
    case: "a fee of 0 with spent outputs",
    fixture: "blockchain-info/btc-rawtx-p2pk-zero-fee.json",
    kind: "blockchain-info",
    ...museum("bitcoin"),
    shows: /"fee":0,.*"prev_out":\{/
  }
]

/** A refusal of a node that a museum cannot contain. */
export const refusal = {
  fixture: "bitcoind/sendraw-error-25-empty-message.json",
  answer: { result: null, error: { code: -25, message: "" }, id: 1 }
}
