import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as FiberId from "effect/FiberId"
import * as Stream from "effect/Stream"
import { Problem } from "../../contract/Problem.ts"
import type { DirectResponse } from "../RawRoutes.ts"
import { type CallState, RequestContext } from "../RequestContext.ts"
import * as Compression from "./Compression.ts"
import { type HeaderTemplate, template } from "./HeaderFields.ts"
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

/** What a {@link DirectResponse} has of its own in its header. */
const json = { "content-type": "application/json" }

/** As a response of the platform. */
export const toPlatform = ({ body, status }: DirectResponse): HttpServerResponse.HttpServerResponse =>
  body === undefined
    ? HttpServerResponse.empty({ status })
    : HttpServerResponse.text(body, { contentType: json["content-type"], status })

/**
 * The last that happens to a response: it gets the fields of all responses and the form that the client takes, and is counted.
 */
export const make = Effect.map(RequestContext, (context) => {
  const [plain, varied, none] = [json, { ...json, vary: "accept-encoding" }, {}].map(template) as [
    HeaderTemplate,
    HeaderTemplate,
    HeaderTemplate
  ]
  return {
    /** A response, or why there is none, that was found in this fiber. */
    inFiber: (
      call: CallState,
      found: HttpServerResponse.HttpServerResponse | Problem,
      request: Request,
      fiber: FiberId.FiberId
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      const response = found instanceof Problem ? Problems.respond(found, call.id) : found
      const complete = HttpServerResponse.setHeaders(response, context.fields(call, response.headers))
      return Effect.map(Compression.apply(complete, request.headers.get("accept-encoding") ?? undefined), (sent) => {
        const bytes = sent.body._tag === "Stream" ? undefined : (sent.body.contentLength ?? 0)
        context.ended(call, sent.status, bytes, fiber)
        return followed(sent, request, () => context.release(call))
      })
    },
    /** A response that needs no fiber; undefined for one that is compressed, which does. */
    directly: (call: CallState, { body, status }: DirectResponse, request: Request): Response | undefined => {
      const bytes = body === undefined ? 0 : Buffer.byteLength(body)
      const isCompressible = bytes >= Compression.worthwhile
      const accepted = isCompressible ? request.headers.get("accept-encoding") : null
      if (accepted !== null && Compression.negotiate(accepted) !== undefined) return undefined
      const headers = context.headers(call, body === undefined ? none : isCompressible ? varied : plain)
      const response = new Response(body, { status, headers })
      context.ended(call, status, bytes)
      return response
    }
  }
})
