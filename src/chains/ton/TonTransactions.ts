import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../Chain.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import type { TransactionRows } from "./Provider.ts"
import * as TonApiWire from "./providers/tonapi/TonApiWire.ts"
import * as ToncenterWire from "./providers/toncenter/ToncenterWire.ts"

// A transaction is identified by the hash of its cell: TON Center writes it in base64, TonAPI in hexadecimal digits.

/** Returns the hash in lower-case hexadecimal digits; left is an error message for the user. */
export const parseHash = (text: string): Either.Either<string, string> => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Either.right(text.toLowerCase())
  // An unescaped plus sign in a query is a space.
  const url = text.replace(/[ +]/g, "-").replaceAll("/", "_").replace(/=$/, "")
  const bytes = Buffer.from(url, "base64url")
  return bytes.length === 32 && bytes.toString("base64url") === url
    ? Either.right(bytes.toString("hex"))
    : Either.left("the hash of a transaction is 32 bytes: 64 hexadecimal digits, or base64 or base64url")
}

const nodeResponse = (verdict: NodeResponse["verdict"], { text }: ResponseDecoder.UpstreamResponse): NodeResponse => ({
  verdict,
  body: text,
  contentType: "application/json"
})

const wrongTransaction: Fault = {
  reason: "bad_answer",
  detail: "returned data of a transaction that was not requested"
}

/** A transaction with its hash, and the message that caused it. */
const IndexedTransaction = Schema.Struct({
  hash: Schema.String,
  in_msg: Schema.NullishOr(
    Schema.Struct({ hash: Schema.NullishOr(Schema.String), hash_norm: Schema.NullishOr(Schema.String) })
  )
})
type IndexedTransaction = typeof IndexedTransaction.Type

const isHash = (text: string | null | undefined, hash: string) => Either.getOrUndefined(parseHash(text ?? "")) === hash

const isTransaction = (hash: string) => (row: IndexedTransaction) => isHash(row.hash, hash)

const isOfMessage = (hash: string) => (row: IndexedTransaction) =>
  isHash(row.in_msg?.hash_norm, hash) || isHash(row.in_msg?.hash, hash)

const TransactionList = Schema.Struct({ transactions: Schema.Array(IndexedTransaction) })

const listOf =
  (isRequested: (row: IndexedTransaction) => boolean): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    ToncenterWire.interpreting(TransactionList, ({ transactions }) => {
      if (transactions.length === 0) return Either.right(nodeResponse("unknown", answer))
      return transactions.every(isRequested)
        ? Either.right(nodeResponse("done", answer))
        : Either.left(wrongTransaction)
    })(answer)

/** TON Center returns a list, which is empty if there is no such transaction. */
export const decodeList = (hash: string) => listOf(isTransaction(hash))
export const decodeListOfMessage = (hash: string) => listOf(isOfMessage(hash))

const Traces = Schema.Struct({ traces: Schema.Array(Schema.Unknown) })

const trace = Schema.decodeUnknownOption(
  Schema.Struct({ transactions: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
)
const isIndexed = Schema.is(IndexedTransaction)
const keyed = (text: string | null | undefined, row: IndexedTransaction) =>
  [Either.getOrElse(parseHash(text ?? ""), () => ""), row] as const

/**
 * The rows of these transactions, by their own hash or that of their message, in the traces that have them. Not whole if
 * a trace has none of them, or different ones: others may exist.
 */
export const decodeTraces = (hashes: ReadonlyArray<string>): ResponseDecoder.Decoder<TransactionRows> =>
  ToncenterWire.interpreting(Traces, ({ traces }) => {
    const own = traces.map((listed) => {
      const { transactions } = Option.getOrElse(trace(listed), () => ({ transactions: {} }))
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
  })

const singleOf =
  (isRequested: (row: IndexedTransaction) => boolean): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    answer.status === 404
      ? Either.flatMap(ResponseDecoder.json(answer), (body) =>
          Predicate.isRecord(body) && /not found/i.test(String(body.error))
            ? Either.right(nodeResponse("unknown", answer))
            : Either.left({ ...unexpected404, status: 404 })
        )
      : TonApiWire.interpreting(IndexedTransaction, (transaction) =>
          isRequested(transaction) ? Either.right(nodeResponse("done", answer)) : Either.left(wrongTransaction)
        )(answer)

/** TonAPI returns 404 with a `not found` error for an unknown transaction; any other 404 is a wrong path. */
export const decodeSingle = (hash: string) => singleOf(isTransaction(hash))
export const decodeSingleOfMessage = (hash: string) => singleOf(isOfMessage(hash))

const unexpected404: Fault = { reason: "bad_answer", detail: "returned an unexpected 404 response" }
