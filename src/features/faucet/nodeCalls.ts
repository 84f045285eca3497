import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Client from "../../jsonrpc/Client.ts"
import { isRejectedByGateway, RpcError } from "../../jsonrpc/errors.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

const id = 1

const post = (call: Client.ClientCall) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "2.0", id, ...call })

/** A call that changes the state of the node: sent once. After a failure it is unknown whether it was processed. */
export const send = (upstream: Upstream, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  upstream.once((node) => node.send(post(call), decode))

/** A read-only call. */
export const read = (node: Endpoint, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  node.read(post(call), decode)

/** Several read-only calls, in one request if the node accepts batches. A failed call does not fail the others. */
export const readAll = (
  node: Endpoint,
  calls: ReadonlyArray<Client.ClientCall>
): Effect.Effect<ReadonlyArray<Client.Outcome>, UpstreamError> => {
  const separately = Effect.forEach(calls, (call) => read(node, call), { concurrency: calls.length })
  return Client.batch(node, calls).pipe(
    Effect.flatMap((outcomes) => (outcomes.every(Either.isLeft) ? separately : Effect.succeed(outcomes))),
    Effect.catchIf(
      ({ reason, unsent }) => reason !== "timeout" && reason !== "rate_limited" && unsent !== true,
      () => separately
    )
  )
}

const ErrorResponse = Schema.Struct({
  id: Schema.NullOr(Schema.Literal(id, String(id))),
  error: Schema.Struct({ code: Schema.optional(Schema.Number), message: Schema.optional(Schema.String) })
})
const ResultResponse = Schema.Struct({ id: Schema.Literal(id, String(id)), result: Schema.Unknown })

const isError = Schema.is(ErrorResponse)
const isResult = Schema.is(ResultResponse)

/**
 * Accepts an error with almost any HTTP status, a result only with a 2xx status and the id of the call. Stricter than
 * {@link Client.call}, because a wrong verdict costs coins here.
 */
const decode: ResponseDecoder.Decoder<Client.Outcome> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined && isRejectedByGateway(response.status)) return Either.left(fault)
  const body = Either.getOrUndefined(ResponseDecoder.json(response))
  if (isError(body)) {
    const { code = 0, message = "" } = body.error
    return rateLimitCodes.includes(code) || rateLimit.test(message)
      ? Either.left({ reason: "rate_limited", detail: "rate limit reached", unsent: true })
      : Either.right(Either.left(new RpcError({ code, detail: message })))
  }
  if (fault !== undefined) return Either.left(fault)
  return isResult(body) && "result" in body
    ? Either.right(Either.right(body.result))
    : Either.left({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
}

const rateLimitCodes = [-32005, -32029, 429]
const rateLimit = /rate limit|too many requests/i
