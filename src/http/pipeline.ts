import * as Effect from "effect/Effect"
import * as ApiStep from "./ApiStep.ts"
import * as CachedStep from "./CachedStep.ts"
import { RawStep } from "./RawStep.ts"
import { type CallState, RequestContext } from "./RequestContext.ts"
import { targetOf } from "./response/ResponseCache.ts"

const unknown = () => "unknown"

const noStep = Effect.succeed((): undefined => undefined)

/** Steps of every request: creates its state, decides whether to admit it, and runs the first step that can respond. */
const make = <A extends Response, E, R>(
  first: Effect.Effect<(request: Request, call: CallState) => A | undefined, E, R>,
  isOpen = false
) =>
  Effect.gen(function* () {
    const { begin, admit: decide } = yield* RequestContext
    const cached = yield* first
    const raw = yield* RawStep
    const api = yield* ApiStep.make
    const respond = (request: Request, call: CallState): A | Promise<Response> =>
      cached(request, call) ?? raw(request, call) ?? api(request, call)
    return (request: Request, address: () => string = unknown): A | Promise<Response> => {
      const { headers, method, url } = request
      const call = begin({ method, target: targetOf(url), header: (name) => headers.get(name) ?? undefined, address })
      // A promise only if the store must be called.
      const pending = isOpen ? undefined : decide(call)
      return pending === undefined ? respond(request, call) : pending.then(() => respond(request, call))
    }
  })

/** Handles every request, from the socket to its response. Runs without Effect until a step needs it. */
export const pipeline = make(CachedStep.make)

/** The same without the cache. */
export const uncachedPipeline = make<never, never, never>(noStep)

/** For the metrics port: without the cache, keys and limits. */
export const monitoring = make<never, never, never>(noStep, true)
