import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Count, Units } from "../amounts.ts"
import type { UtxoTransaction } from "../history.ts"
import * as Source from "./Source.ts"

// BlockCypher's `/addrs/$ADDRESS/full`. `double_spend` is set on confirmed transactions too: it is not used.

/** An ISO date with a zone, to the second or finer. */
const Time = Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text))))

const Addresses = Schema.optional(Schema.NullOr(Schema.Array(Schema.String)))

const Transaction = Schema.Struct({
  hash: Schema.String,
  /** -1 in the pool. */
  block_height: Schema.Int,
  confirmed: Schema.optional(Time),
  /** When it was first seen. */
  received: Time,
  fees: Units,
  vin_sz: Count,
  vout_sz: Count,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      /** Absent in a coinbase transaction. */
      prev_hash: Schema.optional(Schema.String),
      output_index: Schema.Int,
      output_value: Schema.optional(Units),
      addresses: Addresses
    })
  ),
  outputs: Schema.Array(Schema.Struct({ value: Units, addresses: Addresses }))
})

const Listing = Schema.Struct({
  address: Schema.String,
  /** All of the address that are in blocks. */
  n_tx: Count,
  hasMore: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** Left out where there are none. */
  txs: Schema.optionalWith(Schema.Array(Transaction), { default: () => [] })
})

/** Several addresses are those of a script that wants several signatures: it belongs to none of them alone. */
const only = (addresses: ReadonlyArray<string> | null | undefined): string | undefined =>
  addresses?.length === 1 ? addresses[0] : undefined

const toTransaction = (row: typeof Transaction.Type): UtxoTransaction => ({
  hash: row.hash,
  block: row.block_height < 0 ? undefined : row.block_height,
  time: Math.floor(Date.parse(row.confirmed ?? row.received) / 1000),
  inputs: row.inputs.flatMap(({ addresses, output_index, output_value, prev_hash }) =>
    prev_hash === undefined || output_index < 0
      ? []
      : [{ address: only(addresses), amount: output_value ?? 0n, spends: `${prev_hash}:${output_index}` }]
  ),
  outputs: row.outputs.map(({ addresses, value }) => ({ address: only(addresses), amount: value })),
  ...(isWhole(row) ? {} : { partial: { fee: row.fees } })
})

const isWhole = ({ inputs, outputs, vin_sz, vout_sz }: typeof Transaction.Type) =>
  inputs.length >= vin_sz && outputs.length >= vout_sz

const perPage = 50

/** Inputs and outputs that it returns of each transaction. */
const sides = 200

/** Pages go by height: a page may end within a block, so the next begins with that block again. */
const before = (rows: ReadonlyArray<typeof Transaction.Type>): string | undefined => {
  const heights = rows.flatMap(({ block_height }) => (block_height < 0 ? [] : [block_height]))
  return heights.length === 0 ? undefined : String(Math.min(...heights) + 1)
}

export const history: Source.HistoryKind = {
  perPage,
  request: (facts, { address, before: from, after = from && String(from.height + 1), limit }) => ({
    request: HttpClientRequest.get(`/addrs/${address}/full`).pipe(
      HttpClientRequest.setUrlParams({
        limit: String(after === undefined ? Math.min(limit, perPage) : perPage),
        txlimit: String(sides),
        ...(after === undefined ? {} : { before: after })
      })
    ),
    interpret: Source.paging(facts, address, Listing, {
      owner: (listing) => listing.address,
      page: ({ hasMore, n_tx, txs }) => ({
        transactions: txs.map(toTransaction),
        next: hasMore ? before(txs) : undefined,
        stated: { count: n_tx, withPool: false },
        ...(txs.every(isWhole) ? {} : { missing: Source.notAllParties })
      })
    })
  })
}
