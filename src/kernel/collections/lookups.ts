import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

interface SharedLookups<K, A, E, R> {
  readonly capacity: number
  readonly timeToLive: (exit: Exit.Exit<A, E>) => Duration.DurationInput
  readonly lookup: (key: K) => Effect.Effect<A, E, R>
}

/**
 * Caches results in memory; requests with equal keys share one lookup. A lookup runs in its own fiber: `effect/Cache`
 * would run it in the fiber of its first caller, and interrupting that caller would interrupt all others.
 */
export const lookups = <K, A, E, R>(options: SharedLookups<K, A, E, R>) =>
  Effect.map(
    Cache.makeWith(options),
    (cache) =>
      (key: K): Effect.Effect<A, E> =>
        Effect.flatMap(Effect.forkDaemon(cache.get(key)), Fiber.join)
  )
