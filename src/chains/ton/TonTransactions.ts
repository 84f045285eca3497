import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { span } from "../../kernel/span.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, RawTransactions } from "../Chain.ts"
import { findFirst } from "../findFirst.ts"
import type { Clients } from "./Client.ts"
import * as TonApiWire from "./tonapi/TonApiWire.ts"
import * as ToncenterWire from "./toncenter/ToncenterWire.ts"

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

export const finding = (clients: Clients): RawTransactions => ({
  prepareLookup: (text) =>
    Either.map(parseHash(text), (hash) =>
      findFirst(clients, (client) => client.transaction(hash)).pipe(span("Ton.find"))
    )
})

const nodeResponse = (verdict: NodeResponse["verdict"], { text }: ResponseDecoder.UpstreamResponse): NodeResponse => ({
  verdict,
  body: text,
  contentType: "application/json"
})

const wrongTransaction: Fault = {
  reason: "bad_answer",
  detail: "returned data of a transaction that was not requested"
}

const TransactionList = Schema.Struct({ transactions: Schema.Array(Schema.Struct({ hash: Schema.String })) })

/** TON Center returns a list, which is empty if there is no such transaction. */
export const decodeList =
  (hash: string): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    ToncenterWire.interpreting(TransactionList, ({ transactions }) => {
      if (transactions.length === 0) return Either.right(nodeResponse("unknown", answer))
      return transactions.every((transaction) => Either.getOrUndefined(parseHash(transaction.hash)) === hash)
        ? Either.right(nodeResponse("done", answer))
        : Either.left(wrongTransaction)
    })(answer)

const SingleTransaction = Schema.Struct({ hash: Schema.String })

/** TonAPI returns 404 with a `not found` error for an unknown transaction; any other 404 is a wrong path. */
export const decodeSingle =
  (hash: string): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    answer.status === 404
      ? Either.flatMap(ResponseDecoder.json(answer), (body) =>
          Predicate.isRecord(body) && /not found/i.test(String(body.error))
            ? Either.right(nodeResponse("unknown", answer))
            : Either.left({ ...unexpected404, status: 404 })
        )
      : TonApiWire.interpreting(SingleTransaction, (transaction) =>
          transaction.hash.toLowerCase() === hash
            ? Either.right(nodeResponse("done", answer))
            : Either.left(wrongTransaction)
        )(answer)

const unexpected404: Fault = { reason: "bad_answer", detail: "returned an unexpected 404 response" }
