import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import { Units } from "../amounts.ts"
import type { TransactionSide, UtxoTransaction } from "../history.ts"
import * as Source from "./Source.ts"

// Haskoin Store's `/address/{address}/transactions/full`.

const side = { address: Schema.optional(Schema.NullOr(Schema.String)) }

const Transaction = Schema.Struct({
  txid: Schema.String,
  inputs: Schema.NonEmptyArray(
    Schema.Struct({
      ...side,
      coinbase: Schema.Boolean,
      txid: Schema.String,
      output: Units,
      value: Schema.optional(Schema.NullOr(Units))
    })
  ),
  outputs: Schema.Array(Schema.Struct({ ...side, value: Units })),
  block: Schema.Union(Schema.Struct({ height: Schema.Int }), Schema.Struct({ mempool: Schema.Number })),
  /** It was replaced by a transaction that spends the same output. */
  deleted: Schema.Boolean,
  /** Of its block, or when it was first seen. */
  time: Schema.Int
})

/** Undefined where the amount of an input is missing. */
const toTransaction = ({
  block,
  inputs,
  outputs,
  time,
  txid
}: typeof Transaction.Type): UtxoTransaction | undefined => {
  const spending = inputs.filter(({ coinbase }) => !coinbase)
  const spent = spending.flatMap(
    ({ address, output, txid, value }): ReadonlyArray<TransactionSide> =>
      value === undefined || value === null
        ? []
        : [{ address: address ?? undefined, amount: value, spends: `${txid}:${output}` }]
  )
  if (spent.length < spending.length) return undefined
  return {
    hash: txid,
    block: "height" in block ? block.height : undefined,
    time,
    inputs: spent,
    outputs: outputs.map(({ address, value }) => ({ address: address ?? undefined, amount: value }))
  }
}

/** Far below what a store grants. */
const perPage = 1000

export const history: Source.HistoryKind = {
  perPage,
  request: (facts, { address, after = "0", before, limit }) => {
    // One more shows whether there are more.
    const count = Math.min(limit + 1, perPage)
    return {
      request: HttpClientRequest.get(`/address/${withoutPrefix(address)}/transactions/full`).pipe(
        HttpClientRequest.setUrlParams({
          limit: String(count),
          offset: after,
          ...(before === undefined ? {} : { height: String(before.height) })
        })
      ),
      interpret: Source.paging(facts, address, Schema.Array(Transaction), {
        page: (rows) => {
          const current = rows.filter(({ deleted }) => !deleted)
          const seen = current.flatMap((row) => toTransaction(row) ?? [])
          if (seen.length < current.length) return undefined
          return { transactions: seen, next: rows.length >= count ? String(Number(after) + rows.length) : undefined }
        }
      })
    }
  }
}

export const withoutPrefix = (address: string) => address.slice(address.indexOf(":") + 1)
