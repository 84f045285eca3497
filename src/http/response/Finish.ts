import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as Stream from "effect/Stream"
import { Problem } from "../../contract/Problem.ts"
import { type CallState, RequestContext } from "../RequestContext.ts"
import * as Compression from "./Compression.ts"
import * as Problems from "./Problems.ts"

/**
 * A streamed answer after whose end this is done: when it is sent, fails or is cancelled, and when the client leaves before
 * anybody reads it.
 */
const followed = (
  response: HttpServerResponse.HttpServerResponse,
  { method, signal }: Request,
  then: () => void
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream") return response
  if (method === "HEAD" || signal.aborted) then()
  else signal.addEventListener("abort", then, { once: true })
  const stream = Stream.ensuring(body.stream, Effect.sync(then))
  return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
}

/**
 * The last that happens to an answer: it gets the fields of all answers and the form that the client takes, and is counted.
 */
export const make = Effect.map(
  RequestContext,
  (context) =>
    (
      call: CallState,
      answer: HttpServerResponse.HttpServerResponse | Problem,
      request: Request,
      fiber: FiberId.FiberId
    ) => {
      const response = answer instanceof Problem ? Problems.respond(answer, call.id) : answer
      const complete = HttpServerResponse.setHeaders(response, context.fields(call, response.headers))
      return Effect.map(Compression.apply(complete, request.headers.get("accept-encoding") ?? undefined), (sent) => {
        const bytes = sent.body._tag === "Stream" ? undefined : (sent.body.contentLength ?? 0)
        context.ended(call, sent.status, bytes, fiber)
        return followed(sent, request, () => context.release(call))
      })
    }
)
