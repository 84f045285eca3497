import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Caches results in memory; requests with equal keys share one lookup. A lookup runs in its own fiber: `effect/Cache`
 * would run it in the fiber of its first caller, and interrupting that caller would interrupt all others.
 */
export const lookups = <K, A, E, R>(options: Parameters<typeof Cache.makeWith<K, A, E, R>>[0]) =>
  Effect.map(
    Cache.makeWith(options),
    (cache) =>
      (key: K): Effect.Effect<A, E> =>
        Effect.flatMap(Effect.forkDaemon(cache.get(key)), Fiber.join)
  )
