import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { NodeResponse } from "../../chains/Chain.ts"
import {
  DeadlineExceeded,
  type InvalidRequest,
  NotImplemented,
  type TooLarge,
  UpstreamFailed
} from "../../contract/Problem.ts"
import { invalid, schemaProblem, sizeProblem } from "../../contract/problem/issues.ts"
import { type TransactionQuery, TransactionRequest } from "../../contract/TransactionsApi.ts"
import { type RawTransactionError, RawTransactions } from "./RawTransactions.ts"

const decode = Schema.decodeUnknown(TransactionRequest)

/** Room for the two fields and for extra fields that a client may have added by mistake. */
const maxValues = 100

/** A raw transaction request, from its query; fields missing there come from a JSON body. */
const transactionRequest = (
  query: typeof TransactionQuery.Type,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<TransactionRequest, InvalidRequest | TooLarge> =>
  request.text.pipe(
    Effect.orElseSucceed(() => ""),
    Effect.tap((text) => sizeProblem(text, maxValues) ?? Effect.void),
    Effect.flatMap((text) => (text.trim() === "" ? Effect.succeed({}) : Effect.orDie(request.json))),
    Effect.flatMap((body) => decode(Schema.is(fields)(body) ? { ...body, ...query } : body)),
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) => Effect.fail(schemaProblem(issues)))
    )
  )

const fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const statuses = { done: 200, refused: 400, unknown: 404 } as const satisfies Record<NodeResponse["verdict"], number>

/** The response of the node, unchanged. */
const respond = ({ body, contentType, verdict }: NodeResponse) =>
  HttpServerResponse.text(body, { status: statuses[verdict], contentType })

const invalidMember = (path: string, message: string) => invalid([{ path, message }])

const toProblem = ({ kind, message }: RawTransactionError) => {
  switch (kind) {
    case "unsupported":
      return invalidMember("chain", message)
    case "invalid":
      return invalidMember("tx", message)
    case "not_configured":
      return new NotImplemented({ detail: `${message}.` })
    case "unavailable":
      return new UpstreamFailed({ detail: `${message}.` })
    case "timed_out":
      return new DeadlineExceeded({ detail: message })
  }
}

interface RawTransactionRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly urlParams: typeof TransactionQuery.Type
}

/** The handlers of both raw transaction routes. */
export const make = Effect.map(RawTransactions, ({ find, send }) => {
  const handler =
    (run: typeof send) =>
    ({ request, urlParams }: RawTransactionRequest) =>
      Effect.gen(function* () {
        const { chain, tx } = yield* transactionRequest(urlParams, request)
        return yield* Effect.mapBoth(run(chain, tx), { onFailure: toProblem, onSuccess: respond })
      })
  return { send: handler(send), find: handler(find) }
})
