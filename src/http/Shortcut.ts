import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Problems from "./Problems.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import { type Encoding, negotiate } from "./response/Compression.ts"
import type { SentResponse } from "./response/EncodedResponse.ts"
import { ResponseCache, targetOf } from "./response/ResponseCache.ts"
import { Snapshots } from "./response/Snapshots.ts"

/** Clients send few different values; whoever sends more is answered as well, but not remembered. */
const maxAccepted = 100

const negotiator = () => {
  const known = new Map<string, Encoding | undefined>()
  return (accepted: string | undefined): Encoding | undefined => {
    if (accepted === undefined) return undefined
    if (known.has(accepted)) return known.get(accepted)
    const encoding = negotiate(accepted)
    if (known.size < maxAccepted && accepted.length <= maxAccepted) known.set(accepted, encoding)
    return encoding
  }
}

/**
 * Answers at once what is ready, before any Effect runs for the request; undefined for all else, which then has not been
 * counted yet.
 */
export const make = Effect.gen(function* () {
  const ready = yield* ResponseCache
  const snapshots = yield* Snapshots
  const envelope = yield* RequestContext
  const clock = yield* Effect.clock
  const encodingOf = negotiator()
  const fieldsOf = new WeakMap<SentResponse, { readonly fixed: object; readonly headers: Headers }>()

  /** Most of the fields are those of the last such answer: copying them costs less than making them. */
  const fields = (call: CallState, sent: SentResponse) => {
    const fixed = envelope.fixed(call)
    const last = fieldsOf.get(sent)
    if (last !== undefined && last.fixed === fixed) {
      const headers = new Headers(last.headers)
      headers.set("x-request-id", call.id)
      return headers
    }
    const headers = new Headers(envelope.fields(call, sent.headers))
    fieldsOf.set(sent, { fixed, headers })
    return new Headers(headers)
  }

  const refused = (call: CallState, problem: Parameters<typeof Problems.respond>[0]) => {
    const response = Problems.respond(problem, call.id)
    const complete = HttpServerResponse.setHeaders(response, envelope.fields(call, response.headers))
    envelope.ended(call, response.status, response.body.contentLength ?? 0)
    return HttpServerResponse.toWeb(complete, { withoutBody: call.method === "HEAD" })
  }

  return (request: Request, address: () => string): Response | undefined => {
    const { headers, method } = request
    if (method !== "GET" && method !== "HEAD") return undefined
    const target = targetOf(request.url)
    const now = clock.unsafeCurrentTimeMillis()
    const sent = (snapshots.find(target, now) ?? ready.find(target, now))?.sent({
      encoding: encodingOf(headers.get("accept-encoding") ?? undefined),
      ifNoneMatch: headers.get("if-none-match") ?? undefined
    })
    if (sent === undefined) return undefined

    const call = envelope.begin({ method, target, header: (name) => headers.get(name) ?? undefined, address })
    envelope.spans.open(call)
    const problem = envelope.refusal(call)
    if (problem !== undefined) return refused(call, problem)
    const response = new Response(method === "HEAD" ? undefined : sent.body, {
      status: sent.status,
      headers: fields(call, sent)
    })
    envelope.ended(call, sent.status, sent.body?.byteLength ?? 0)
    return response
  }
})
