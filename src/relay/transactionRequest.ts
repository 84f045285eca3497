import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../api/Problem.ts"
import { type TransactionQuery, TransactionRequest } from "../api/RelayApi.ts"

const decode = Schema.decodeUnknown(TransactionRequest, { errors: "all" })

/** A raw transaction request: its query, and what the query does not say out of a JSON body. */
export const transactionRequest = (
  query: typeof TransactionQuery.Type,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<TransactionRequest, InvalidRequest> =>
  query.chain !== undefined && query.tx !== undefined
    ? validated(query)
    : request.text.pipe(
        Effect.orElseSucceed(() => ""),
        Effect.flatMap((text) => (text.trim() === "" ? Effect.succeed({}) : Effect.orDie(request.json))),
        Effect.flatMap((body) => validated(Schema.is(fields)(body) ? { ...body, ...query } : body))
      )

const fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const validated = (given: unknown) =>
  decode(given).pipe(
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) =>
        Effect.fail(
          new InvalidRequest({
            detail: "chain and tx are needed, in the query or in a JSON body.",
            issues: issues.map(({ message, path }) => ({ path: path.join("."), message: message.slice(0, 300) }))
          })
        )
      )
    )
  )
