import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { InvalidRequest, TooLarge } from "../../contract/Problem.ts"
import { oversized, undecodable } from "../../contract/problem/issues.ts"
import { type TransactionQuery, TransactionRequest } from "../../contract/TransactionsApi.ts"

const decode = Schema.decodeUnknown(TransactionRequest)

/** Two members, and others that a client may have added by mistake. */
const maxValues = 100

/** A raw transaction request: its query, and what the query leaves out from a JSON body. */
export const transactionRequest = (
  query: typeof TransactionQuery.Type,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<TransactionRequest, InvalidRequest | TooLarge> =>
  request.text.pipe(
    Effect.orElseSucceed(() => ""),
    Effect.tap((text) => oversized(text, maxValues) ?? Effect.void),
    Effect.flatMap((text) => (text.trim() === "" ? Effect.succeed({}) : Effect.orDie(request.json))),
    Effect.flatMap((body) => decode(Schema.is(fields)(body) ? { ...body, ...query } : body)),
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) => Effect.fail(undecodable(issues)))
    )
  )

const fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })
