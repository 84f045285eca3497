import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { NodeResponse } from "../../chains/Chain.ts"
import { DeadlineExceeded, NotImplemented, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import type { TransactionQuery } from "../../contract/TransactionsApi.ts"
import { type RawTransactionError, RawTransactions } from "./RawTransactions.ts"
import { transactionRequest } from "./transactionRequest.ts"

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
