import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Problem } from "../contract/Problem.ts"
import * as ApiStep from "./ApiStep.ts"
import type { CallState } from "./CallState.ts"
import { RawStep } from "./RawStep.ts"
import { RequestContext } from "./RequestContext.ts"
import { type Encoding, negotiate } from "./response/Compression.ts"
import * as Problems from "./response/Problems.ts"
import { ResponseCache, targetOf } from "./response/ResponseCache.ts"

/** Limit of cached values of Accept-Encoding, and of their length. Clients send few different values. */
const maxAccepted = 100

const negotiator = () => {
  const encodings = new Map<string, Encoding | undefined>()
  return (accepted: string | null): Encoding | undefined => {
    if (accepted === null) return undefined
    if (encodings.has(accepted)) return encodings.get(accepted)
    const encoding = negotiate(accepted)
    if (encodings.size < maxAccepted && accepted.length <= maxAccepted) encodings.set(accepted, encoding)
    return encoding
  }
}

/** Responds with a problem to a request that is not admitted, before any Effect runs. */
const refused = (context: RequestContext["Type"], call: CallState, problem: Problem): Response => {
  context.spans.open(call)
  const response = Problems.respond(problem, call.id)
  const complete = HttpServerResponse.setHeaders(response, context.fields(call, response.headers))
  context.ended(call, response.status, response.body.contentLength ?? 0)
  return HttpServerResponse.toWeb(complete, { withoutBody: call.method === "HEAD" })
}

/** Responds to a GET or HEAD from the cache, before any Effect runs; undefined if another step must respond. */
const cachedStep = Effect.gen(function* () {
  const responses = yield* ResponseCache
  const context = yield* RequestContext
  const clock = yield* Effect.clock
  const encodingOf = negotiator()

  return ({ headers }: Request, call: CallState): Response | undefined => {
    const { incoming, method } = call
    if (method !== "GET" && method !== "HEAD") return undefined
    const sent = responses.find(incoming.target, clock.unsafeCurrentTimeMillis())?.sendSync({
      encoding: encodingOf(headers.get("accept-encoding")),
      ifNoneMatch: headers.get("if-none-match") ?? undefined
    })
    // Also undefined if the encoding does not exist yet.
    if (sent === undefined) return undefined
    context.spans.open(call)
    const { body, header, status } = sent
    const response = new Response(method === "HEAD" ? undefined : body, {
      status,
      headers: context.headers(call, header)
    })
    context.ended(call, status, body?.size ?? 0)
    return response
  }
})

const unknown = () => "unknown"

const noStep = Effect.succeed((): undefined => undefined)

/** Steps of every request: creates its state, decides whether to admit it, and runs the first step that can respond. */
const make = <A extends Response, E, R>(
  first: Effect.Effect<(request: Request, call: CallState) => A | undefined, E, R>,
  isOpen = false
) =>
  Effect.gen(function* () {
    const context = yield* RequestContext
    const cached = yield* first
    const raw = yield* RawStep
    const api = yield* ApiStep.make
    const respond = (request: Request, call: CallState): A | Promise<Response> => {
      const found = call.refused === undefined ? cached(request, call) : undefined
      if (found !== undefined) return found
      const problem = call.refused ?? context.enter(call)
      if (problem !== undefined) return Promise.resolve(refused(context, call, problem))
      return raw(request, call) ?? api(request, call)
    }
    return (request: Request, address: () => string = unknown): A | Promise<Response> => {
      const { headers, method, url } = request
      const call = context.begin({
        method,
        target: targetOf(url),
        header: (name) => headers.get(name) ?? undefined,
        address
      })
      // A promise only if the store must be called.
      const pending = isOpen ? undefined : context.admit(call)
      return pending === undefined ? respond(request, call) : pending.then(() => respond(request, call))
    }
  })

/** Handles every request, from the socket to its response. Runs without Effect until a step needs it. */
export const pipeline = make(cachedStep)

/** The same without the cache. */
export const uncachedPipeline = make<never, never, never>(noStep)

/** For the metrics port: without the cache, keys and limits. */
export const monitoring = make<never, never, never>(noStep, true)
