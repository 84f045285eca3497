import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import type { TransactionRows } from "../../Provider.ts"
import { IndexedTransaction, parseHash, wrongTransaction } from "../../TonTransactions.ts"
import type * as calls from "./calls.ts"

const isIndexed = Schema.is(IndexedTransaction)
const keyed = (text: string | null | undefined, row: IndexedTransaction) =>
  [Either.getOrElse(parseHash(text ?? ""), () => ""), row] as const

/**
 * The rows of these transactions, by their own hash or that of their message, in the traces that have them. Not whole if
 * a trace has none of them, or different ones: others may exist.
 */
export const rowsIn =
  (hashes: ReadonlyArray<string>) =>
  ({ traces }: typeof calls.tracesOfTransactions.response.Type): Either.Either<TransactionRows, Fault> => {
    const own = traces.map(({ row }) => {
      const { transactions } = Option.getOrElse(row, () => ({ transactions: {} }))
      const rows = Object.values(transactions).filter(isIndexed)
      const ofMessages = rows.flatMap((row) =>
        [row.in_msg?.hash, row.in_msg?.hash_norm].map((text) => keyed(text, row))
      )
      const byHash = new Map([...ofMessages, ...rows.map((row) => keyed(row.hash, row))])
      return hashes.flatMap((hash) => {
        const row = byHash.get(hash)
        return row === undefined ? [] : [[hash, row] as const]
      })
    })
    const found = [...byKey(own.flat())].flatMap(([hash, row]) => (row === undefined ? [] : [[hash, row] as const]))
    if (found.length === 0 && traces.length > 0) return Either.left(wrongTransaction)
    return Either.right({
      rows: new Map(found),
      isWhole: own.every((rows) => rows.some(([hash]) => found.some(([known]) => known === hash)))
    })
  }
