import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Steps back of the clock up to this many ms are corrections: results live longer by them. */
const maxCorrection = 1_000

/**
 * Caches results in memory; requests with equal keys share one lookup. A lookup runs in its own fiber: `effect/Cache`
 * would run it in the fiber of its first caller, and interrupting that caller would interrupt all others. If the clock is
 * set back, results are looked up again: they would live until it reaches their time once more.
 */
export const lookups = <K, A, E, R>(options: Parameters<typeof Cache.makeWith<K, A, E, R>>[0]) =>
  Effect.map(Cache.makeWith(options), (cache) => {
    let latest = Number.NEGATIVE_INFINITY
    const forgetLater = Effect.flatMap(Clock.currentTimeMillis, (time) => {
      const isBack = time < latest - maxCorrection
      latest = isBack ? time : Math.max(time, latest)
      return isBack ? cache.invalidateAll : Effect.void
    })
    return (key: K): Effect.Effect<A, E> =>
      Effect.zipRight(forgetLater, Effect.flatMap(Effect.forkDaemon(cache.get(key)), Fiber.join))
  })
