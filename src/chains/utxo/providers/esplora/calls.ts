import * as Schema from "effect/Schema"
import { Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { BlockHeight, Count, Hash, isConsistent, Units } from "../../amounts.ts"
import type { ParsedTransaction } from "../../rawTransactions/UtxoTransaction.ts"

// The calls of Esplora's HTTP API, also spoken by mempool.space and its forks, some of which have an Electrum server.

/** The address of the documentation. @public */
export const documentation = "https://github.com/Blockstream/esplora/blob/master/API.md"

const Sum = Units.pipe(Schema.nonNegativeBigInt())
const Stats = Schema.Struct({
  funded_txo_count: Schema.optional(Count),
  funded_txo_sum: Sum,
  spent_txo_sum: Sum,
  spent_txo_count: Schema.optional(Count),
  tx_count: Count
})

export const address = Call.get("/address/{address}", {
  perOpen: { balance: 1 },
  note: "Forks with an Electrum server return no counts of outputs, and the remaining amount as funded.",
  response: Schema.Struct({
    address: Schema.String,
    chain_stats: Stats.pipe(Schema.filter(({ funded_txo_sum, spent_txo_sum }) => funded_txo_sum >= spent_txo_sum)),
    mempool_stats: Stats
  })
})

/** A script that has an address: the hash of a key or of a script, or a witness program of version 0 or 1. */
const addressable =
  /^(76a914[0-9a-f]{40}88ac|a914[0-9a-f]{40}87|aa20[0-9a-f]{64}87|0014[0-9a-f]{40}|(00|51)20[0-9a-f]{64})$/

export const Output = Schema.Struct({
  scriptpubkey: Schema.optional(Schema.NullOr(Schema.String)),
  /** Empty or absent if the script has no address, such as that of a bare public key. */
  scriptpubkey_address: Schema.optional(Schema.NullOr(Schema.String)),
  value: Units
}).pipe(
  Schema.filter(
    ({ scriptpubkey, scriptpubkey_address }) =>
      Boolean(scriptpubkey_address) || scriptpubkey == null || !addressable.test(scriptpubkey)
  )
)

/** A transaction that is in no block has no height. */
const Unconfirmed = Schema.Struct({
  confirmed: Schema.Literal(false),
  block_height: Schema.optional(Schema.NullOr(Schema.Number.pipe(Schema.nonPositive())))
})

const Spent = Schema.Struct({
  txid: Schema.String,
  vout: Units,
  is_coinbase: Schema.Boolean,
  prevout: Schema.NullOr(Output),
  sequence: Schema.optional(Uint32)
})

export const Transaction = Schema.Struct({
  txid: Schema.String,
  vin: Schema.NonEmptyArray(Spent.pipe(Schema.filter(({ is_coinbase, txid }) => isConsistent(is_coinbase, txid)))),
  vout: Schema.Array(Output),
  status: Schema.Union(
    Schema.Struct({
      confirmed: Schema.Literal(true),
      block_height: BlockHeight,
      block_time: Schema.compose(Count, Seconds)
    }),
    Unconfirmed
  ),
  fee: Schema.optional(Units),
  /** Only forks return it, for unconfirmed transactions. */
  firstSeen: Schema.optional(Seconds)
})

/** Confirmed transactions on a full page. */
export const confirmedPerPage = 25
/** Transactions on a full page of forks with an Electrum server, unconfirmed ones included. */
export const fullOfForks = 10
/** Maximum unconfirmed transactions on the first page. */
export const fullOfPool = 50

export const transactions = Call.get("/address/{address}/txs", {
  perOpen: { history: 1 },
  note: "Like the balance, covers only the script of the address itself, not payments to its bare public key.",
  response: rowsOf(Transaction)
})

export const olderTransactions = Call.get("/address/{address}/txs/chain/{after}", {
  response: rowsOf(Transaction)
})

export const utxos = Call.get("/address/{address}/utxo", {
  note: "An instance rejects addresses with more outputs than it is configured for (500 by default).",
  response: Schema.Array(
    Schema.Struct({
      txid: Hash,
      vout: Uint32,
      value: Units,
      status: Schema.Union(
        Schema.Struct({ confirmed: Schema.Literal(true), block_height: Schema.optional(Schema.NullOr(BlockHeight)) }),
        Unconfirmed
      )
    })
  )
})

export const tip = Call.get("/blocks/tip/hash", {
  note: "Returns text.",
  response: Hash
})

export const block = Call.get("/block/{hash}", {
  response: Schema.Struct({ height: BlockHeight, timestamp: Schema.compose(Count, Seconds) })
})

export const transaction = Call.get("/tx/{hash}", {
  response: Schema.Struct({ ...Transaction.fields, weight: Schema.optional(Count) })
})

/** The members of {@link transaction} that say what made its outputs. */
export const origin = Call.get("/tx/{hash}", {
  note: "Servers with the interface of Esplora over a node may leave out the outputs.",
  response: Schema.Struct({
    txid: Schema.String,
    vin: Schema.Array(Schema.Struct({ is_coinbase: Schema.Boolean })),
    vout: Schema.optionalWith(Schema.Array(Schema.Struct({ scriptpubkey: Schema.String })), { default: () => [] })
  })
})

export const hex = Call.get("/tx/{hash}/hex", { note: "Returns text.", response: Schema.String })

const Spending = Schema.Struct({
  spent: Schema.Boolean,
  txid: Schema.optional(Hash),
  status: Schema.optional(Schema.Struct({ confirmed: Schema.Boolean }))
})

export const outspends = Call.get("/tx/{hash}/outspends", { response: Schema.Array(Spending) })

export const outspend = Call.get("/tx/{hash}/outspend/{index}", { response: Spending })

export const submit = Call.post("/tx", {
  note: "Takes and returns text. The error of the node is in the text of status 400.",
  body: ({ hex }: Pick<ParsedTransaction, "hex">) => hex,
  response: Schema.String
})

/** Base units per virtual byte. */
const Rate = Schema.Number.pipe(Schema.finite(), Schema.nonNegative(), Schema.lessThan(1e8))

export const recommended = Call.get("/v1/fees/recommended", {
  note: "Only mempool.space and its forks (mempool.space/docs/api/rest): for the next block, within an hour, and economy, which is at most twice the lowest rate that its mempool keeps.",
  response: Schema.Struct({ fastestFee: Rate, hourFee: Rate, economyFee: Rate })
})

export const estimates = Call.get("/fee-estimates", {
  note: "Rates by number of blocks; targets without an estimate of its node are absent.",
  response: Schema.Record({ key: Schema.String, value: Rate })
})
