import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../Chain.ts"

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

/** The response of an indexer, unchanged. */
export const nodeResponse = (
  verdict: NodeResponse["verdict"],
  { text }: ResponseDecoder.UpstreamResponse
): NodeResponse => ({
  verdict,
  body: text,
  contentType: "application/json"
})

export const wrongTransaction: Fault = {
  reason: "bad_answer",
  detail: "returned data of a transaction that was not requested"
}

/** A transaction with its hash, and the message that caused it. */
export const IndexedTransaction = Schema.Struct({
  hash: Schema.String,
  in_msg: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        hash: Schema.optional(Schema.NullOr(Schema.String)),
        hash_norm: Schema.optional(Schema.NullOr(Schema.String))
      })
    )
  )
})
export type IndexedTransaction = typeof IndexedTransaction.Type

const isHash = (text: string | null | undefined, hash: string) => Either.getOrUndefined(parseHash(text ?? "")) === hash

/** Whether a row is of the transaction with this hash. */
export const isTransaction = (hash: string) => (row: IndexedTransaction) => isHash(row.hash, hash)

/** Whether a row is of the transaction that the message with this hash caused. */
export const isOfMessage = (hash: string) => (row: IndexedTransaction) =>
  isHash(row.in_msg?.hash_norm, hash) || isHash(row.in_msg?.hash, hash)
