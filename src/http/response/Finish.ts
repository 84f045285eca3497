import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Problem } from "../../contract/Problem.ts"
import type { CallState } from "../CallState.ts"
import * as Deadlines from "../Deadlines.ts"
import type { DirectResponse } from "../RawRoutes.ts"
import { RequestContext } from "../RequestContext.ts"
import { ServerSettings } from "../ServerSettings.ts"
import * as Compression from "./Compression.ts"
import { type HeaderTemplate, template } from "./HeaderFields.ts"
import * as Problems from "./Problems.ts"

/**
 * Calls `began` with each part of a streamed response, and `then` when it is sent, fails or is cancelled, or when the
 * client disconnects before that.
 */
const withCompletion = (
  response: HttpServerResponse.HttpServerResponse,
  { method, signal }: Request,
  began: () => void,
  then: () => void
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream") return response
  if (method === "HEAD" || signal.aborted) then()
  else signal.addEventListener("abort", then, { once: true })
  const parts = Stream.mapChunks(body.stream, (part) => {
    began()
    return part
  })
  const stream = Stream.ensuring(parts, Effect.sync(then))
  return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
}

/** Own header fields of a {@link DirectResponse} with a body. */
const json = { "content-type": "application/json" }

export const toPlatform = ({ body, status }: DirectResponse): HttpServerResponse.HttpServerResponse =>
  body === undefined
    ? HttpServerResponse.empty({ status })
    : HttpServerResponse.text(body, { contentType: json["content-type"], status })

/** Last step of a response: adds the common header fields, compresses it if the client accepts that, and records it. */
export const make = Effect.gen(function* () {
  const context = yield* RequestContext
  const { requestDeadline } = yield* ServerSettings
  const clock = yield* Effect.clock
  const [plain, varied, none] = [json, { ...json, vary: "accept-encoding" }, {}].map(template) as [
    HeaderTemplate,
    HeaderTemplate,
    HeaderTemplate
  ]
  return {
    /** Finishes a response or a problem in this fiber. */
    inFiber: (
      call: CallState,
      found: HttpServerResponse.HttpServerResponse | Problem,
      request: Request
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      const response = found instanceof Problem ? Problems.respond(found, call.id) : found
      const complete = HttpServerResponse.setHeaders(response, context.fields(call, response.headers))
      const accepted = request.headers.get("accept-encoding") ?? undefined
      const maxWait = Compression.maxWait(Deadlines.left(clock, requestDeadline, call))
      return Effect.map(Compression.apply(complete, accepted, maxWait), (sent) => {
        const bytes = sent.body._tag === "Stream" ? undefined : (sent.body.contentLength ?? 0)
        context.ended(call, sent.status, bytes)
        return withCompletion(
          sent,
          request,
          () => context.streaming(call),
          () => context.release(call)
        )
      })
    },
    /** Finishes a response without a fiber; undefined if it must be compressed, which needs a fiber. */
    directly: (call: CallState, { body, status }: DirectResponse, request: Request): Response | undefined => {
      const bytes = body === undefined ? 0 : Buffer.byteLength(body)
      const isCompressible = bytes >= Compression.minCompressedBytes
      const accepted = isCompressible ? request.headers.get("accept-encoding") : null
      if (accepted !== null && Compression.negotiate(accepted) !== undefined) return undefined
      const headers = context.headers(call, body === undefined ? none : isCompressible ? varied : plain)
      const response = new Response(body, { status, headers })
      context.ended(call, status, bytes)
      return response
    }
  }
})
