import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Millis, numberOf, toSeconds } from "../../../../domain/units.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { Page, Row } from "../../../kit/history/mergePaged.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import * as TronAddress from "../../TronAddress.ts"
import {
  Hash,
  type Listed,
  type ListedTransaction,
  type TransactionRow,
  type Trc20Row,
  type TronInternal
} from "./indexCalls.ts"

/**
 * A row of either list; its key is the hash of the transaction. Ordered by block time in ms, because blocks are three
 * seconds apart and only some rows have the block number; within a block by the start of the hash, because no list has
 * an order there.
 */
export type TronRow = Required<Row> &
  ({ readonly transaction: ListedTransaction } | { readonly internal: TronInternal } | { readonly trc20: Trc20Row })

/** The row of a transaction, or of an internal transaction in a separate row. */
export const transactionRow = (row: typeof TransactionRow.Type): TronRow => {
  if ("txID" in row) return { ...timed(row.txID, row.block_timestamp, row.txID), transaction: row }
  const { block_timestamp, tx_id, ...internal } = row
  return { ...timed(tx_id, block_timestamp, internal.internal_tx_id), internal }
}

export const transferRow = (transfer: Trc20Row): TronRow => ({
  ...timed(transfer.transaction_id, transfer.block_timestamp),
  trc20: transfer
})

const timed = (key: string, at: Millis, id?: string) => ({
  ...{ key, id, at: toSeconds(at) },
  order: numberOf(at) + (2047 - (Number.parseInt(key.slice(0, 3), 16) >> 1)) / 2048
})

/** The transaction of a row that cannot be read otherwise. */
const keyed = Schema.decodeUnknownOption(
  Schema.Union(Schema.Struct({ txID: Hash }), Schema.Struct({ tx_id: Hash }), Schema.Struct({ transaction_id: Hash }))
)

/** Whether a row contains an address, in base58, with the prefix 41 or as 20 bytes. */
const naming = (address: string) => {
  const digits = TronAddress.toEvm(address).slice(2)
  return (row: unknown): boolean => {
    const text = JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value))
    return text.includes(address) || text.toLowerCase().includes(digits)
  }
}

/**
 * The rows of a page about an address. Unreadable rows are counted and skipped, with the other rows of their
 * transactions, which alone would be wrong; a page with only unreadable rows is an error. A page without rows is the last
 * one, even if it links to another. Approvals are not transactions and are left out.
 */
export const page = <A>(address: string, rowOf: (row: A) => TronRow) => {
  const isNamed = naming(address)
  return ({ data, meta }: Listed<A>): Either.Either<Page<TronRow>, Fault> => {
    const read = data.map(({ raw, row }) => (isNamed(raw) ? Option.map(row, rowOf) : Option.none()))
    const named = Arr.getSomes(read)
    const unread = data.filter((_, index) => Option.isNone(read[index] ?? Option.none()))
    const own = byKey(named.flatMap((row) => ("transaction" in row ? [[row.key, row.transaction] as const] : [])))
    const incomplete = [
      ...[...own].flatMap(([key, row]) => (row === undefined ? [key] : [])),
      ...unread.flatMap(({ raw }) => Option.toArray(Option.map(keyed(raw), (of) => Object.values(of).join())))
    ]
    const rows = named.filter(({ key }) => !incomplete.includes(key))
    if (rows.length === 0 && data.length > 0)
      return Either.left({ reason: "bad_answer", detail: "returned transactions in an unexpected format" })
    return Either.right({
      rows: rows.filter((row) => !("trc20" in row) || row.trc20.type === "Transfer"),
      oldest: rows.at(-1)?.at,
      next: data.length === 0 ? undefined : meta?.fingerprint,
      incomplete,
      unreadable: data.length - rows.length
    })
  }
}
