import * as Schema from "effect/Schema"
import { Height, numberOf, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"
import { BlockHeight, Count, Hash, isConsistent, Units } from "../../amounts.ts"
import { undecoded } from "../../Unspent.ts"

// The calls of Haskoin Store's HTTP API. Addresses are requested without their prefix.

/** The address of the documentation. @public */
export const documentation = "https://github.com/haskoin/haskoin-store"

export const balances = Call.get("/address/balances", {
  perOpen: { balance: 1 },
  note: "Addresses are returned in CashAddr form, whatever form was requested. More than 100 are rejected.",
  query: ({ addresses }: { readonly addresses: ReadonlyArray<string> }) => ({ addresses: addresses.join() }),
  response: rowsOf(
    Schema.Struct({
      address: Schema.String,
      confirmed: Units.pipe(Schema.nonNegativeBigInt()),
      unconfirmed: Units,
      txs: Count
    })
  )
})

/** Null if the script has no address. */
const side = { address: Schema.NullOr(Schema.String), pkscript: Schema.optional(Schema.NullOr(Schema.String)) }

const Transaction = Schema.Struct({
  txid: Schema.String,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      ...side,
      coinbase: Schema.Boolean,
      txid: Schema.String,
      output: Units,
      value: Schema.optional(Schema.NullOr(Units))
    }).pipe(Schema.filter(({ coinbase, txid }) => isConsistent(coinbase, txid)))
  ),
  outputs: Schema.Array(Schema.Struct({ ...side, value: Units })),
  block: Schema.Union(Schema.Struct({ height: Height }), Schema.Struct({ mempool: Schema.Number })),
  fee: Schema.optional(Units),
  /** True if it was replaced by a transaction that spends the same output. */
  deleted: Schema.Boolean,
  /** The time of its block, or when it was first seen. */
  time: Seconds
})

interface HaskoinPage {
  readonly limit: number
  readonly offset: string
  /** None above this height. */
  readonly height?: Height | undefined
}

export const transactions = Call.get("/address/{address}/transactions/full", {
  perOpen: { history: 1 },
  query: ({ height, limit, offset }: HaskoinPage) => ({
    limit,
    offset,
    height: height === undefined ? undefined : numberOf(height)
  }),
  response: rowsOf(Transaction)
})

export const transaction = Call.get("/transaction/{hash}", { response: Transaction })

/** Maximum outputs requested; if as many are returned, the total number is read separately. */
export const maxOutputs = 5_000

export const Output = Schema.Struct({
  address: Schema.String,
  block: Schema.Union(
    Schema.Struct({ height: BlockHeight, position: Count }),
    Schema.Struct({ mempool: Schema.Number })
  ),
  txid: Hash,
  index: Uint32,
  pkscript: Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/)),
  value: Units
})

export const unspent = Call.get("/address/{address}/unspent", {
  query: () => ({ limit: maxOutputs }),
  response: undecoded(Output)
})

export const balance = Call.get("/address/{address}/balance", { response: Schema.Struct({ utxo: Count }) })

export const best = Call.get("/block/best", {
  query: () => ({ notx: "true" }),
  response: Schema.Struct({ height: BlockHeight, time: Schema.compose(Count, Seconds) })
})
