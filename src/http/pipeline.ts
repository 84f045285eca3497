import * as Effect from "effect/Effect"
import * as ApiStep from "./ApiStep.ts"
import * as CachedStep from "./CachedStep.ts"
import { RawStep } from "./RawStep.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import { targetOf } from "./response/ResponseCache.ts"

const unknown = () => "unknown"

/** The steps behind the cache, and what begins a request. */
const steps = Effect.gen(function* () {
  const context = yield* RequestContext
  const raw = yield* RawStep
  const api = yield* ApiStep.make
  return {
    begin: (request: Request, target: string, address: () => string) => {
      const { headers, method } = request
      return context.begin({ method, target, header: (name) => headers.get(name) ?? undefined, address })
    },
    respond: (request: Request, call: CallState): Promise<Response> => raw(request, call) ?? api(request, call),
    /** Goes on once it is decided whether the request may: at once, unless the store has to be asked. */
    decided: <A>(
      request: Request,
      call: CallState,
      respond: (request: Request, call: CallState) => A
    ): A | Promise<Awaited<A>> => {
      const pending = context.decide(call)
      return pending === undefined
        ? respond(request, call)
        : (pending.then(() => respond(request, call)) as Promise<Awaited<A>>)
    }
  }
})

/**
 * The way of every request, from the socket to its response: it is begun once, and answered from the cache, or else by the
 * handler of a raw route, or else by the HttpApi; before that it is decided whether it may go on, and each step finishes its response in the same way
 * ({@link RequestContext}). Up to where an Effect is needed this is plain code. The client's address is read only
 * where something depends on it.
 */
export const pipeline = Effect.gen(function* () {
  const cached = yield* CachedStep.make
  const clock = yield* Effect.clock
  const { begin, decided, respond } = yield* steps
  return (request: Request, address: () => string = unknown): Response | Promise<Response> => {
    const { method, url } = request
    const target = targetOf(url)
    if (method !== "GET" && method !== "HEAD") return decided(request, begin(request, target, address), respond)
    const now = clock.unsafeCurrentTimeMillis()
    const forms = cached.find(target, now)
    if (forms === undefined) return decided(request, begin(request, target, address), respond)
    const again = cached.again(request, target, forms, address, now)
    if (again !== undefined) return again
    return decided(
      request,
      begin(request, target, address),
      (request, call) => cached.respond(request, call, forms) ?? respond(request, call)
    )
  }
})

/** The same without the cache. */
export const uncachedPipeline = Effect.map(
  steps,
  ({ begin, decided, respond }) =>
    (request: Request, address: () => string = unknown): Promise<Response> =>
      decided(request, begin(request, targetOf(request.url), address), respond)
)

/** For who watches the service, at a port of its own: without keys, limits and the cache. */
export const watching = Effect.map(
  steps,
  ({ begin, respond }) =>
    (request: Request, address: () => string): Promise<Response> =>
      respond(request, begin(request, targetOf(request.url), address))
)
