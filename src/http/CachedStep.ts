import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Problem } from "../contract/Problem.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import { agentOf } from "./RequestLog.ts"
import { type Encoding, negotiate } from "./response/Compression.ts"
import type { EncodedResponse, SentResponse } from "./response/EncodedResponse.ts"
import * as Problems from "./response/Problems.ts"
import { ResponseCache } from "./response/ResponseCache.ts"

/** Clients send few different values; further ones are negotiated each time. */
const maxAccepted = 100

const negotiator = () => {
  const encodings = new Map<string, Encoding | undefined>()
  return (accepted: string | undefined): Encoding | undefined => {
    if (accepted === undefined) return undefined
    if (encodings.has(accepted)) return encodings.get(accepted)
    const encoding = negotiate(accepted)
    if (encodings.size < maxAccepted && accepted.length <= maxAccepted) encodings.set(accepted, encoding)
    return encoding
  }
}

/** Responds from the cache, before any Effect runs for the request. */
export const make = Effect.gen(function* () {
  const responses = yield* ResponseCache
  const context = yield* RequestContext
  const clock = yield* Effect.clock
  const encodingOf = negotiator()

  const refused = (call: CallState, problem: Problem) => {
    const response = Problems.respond(problem, call.id)
    const complete = HttpServerResponse.setHeaders(response, context.fields(call, response.headers))
    context.ended(call, response.status, response.body.contentLength ?? 0)
    return HttpServerResponse.toWeb(complete, { withoutBody: call.method === "HEAD" })
  }

  /** One for all hot responses with the same body, however many spellings of targets and headers there are. */
  const blobs = new WeakMap<SentResponse, Blob>()
  const blobOf = (sent: SentResponse, body: Uint8Array<ArrayBuffer>): Blob => {
    const blob = blobs.get(sent) ?? new Blob([body])
    blobs.set(sent, blob)
    return blob
  }

  /** So that the next requests of the same get it again, where nothing depends on who calls. */
  const keepHot = (call: CallState, forms: EncodedResponse, sent: SentResponse, accepted: string | null) => {
    const { body, headers, status } = sent
    if (!context.isUniform || context.isEnding() || call.method !== "GET" || body === undefined) return
    const { "x-request-id": _, ...fields } = context.fields(call, headers)
    forms.hot.set(call.incoming.target, accepted ?? "", {
      status,
      headers: new Headers(fields),
      body: blobOf(sent, body),
      common: context.common(undefined),
      ended: context.repeated(call, status, body.byteLength)
    })
  }

  return {
    /** What is cached for a GET or HEAD of this target at this time (ms), if anything is. */
    find: responses.find,

    /** The response that was sent before; undefined where it has to be put together. */
    again: (
      { headers, method }: Request,
      target: string,
      forms: EncodedResponse,
      address: () => string,
      now: number
    ): Response | undefined => {
      const started = clock.unsafeCurrentTimeNanos()
      const hot = method === "GET" ? forms.hot.get(target, headers.get("accept-encoding") ?? "") : undefined
      if (hot === undefined || hot.common !== context.common(undefined) || headers.has("if-none-match"))
        return undefined
      const id = context.idOf(headers.get("x-request-id"))
      hot.headers.set("x-request-id", id)
      const response = new Response(hot.body, hot)
      const client = context.addressOf({ address, header: (name) => headers.get(name) ?? undefined })
      hot.ended(now, id, started, { client, key: undefined, userAgent: agentOf(headers.get("user-agent")) })
      return response
    },

    /** Undefined where the encoding that the client takes is not made yet. */
    respond: ({ headers, method }: Request, call: CallState, forms: EncodedResponse): Response | undefined => {
      const accepted = headers.get("accept-encoding")
      const sent = forms.sent({
        encoding: encodingOf(accepted ?? undefined),
        ifNoneMatch: headers.get("if-none-match") ?? undefined
      })
      if (sent === undefined) return undefined
      context.spans.open(call)
      if (call.refused !== undefined) return refused(call, call.refused)
      const response = new Response(method === "HEAD" ? undefined : sent.body, {
        status: sent.status,
        headers: context.headers(call, sent.headers)
      })
      context.ended(call, sent.status, sent.body?.byteLength ?? 0)
      keepHot(call, forms, sent, accepted)
      return response
    }
  }
})
