import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

/** Look-ups under way: who asks for the same as one of them waits for that one. They go on when who began them leaves. */
export const make = <A, E>() =>
  Effect.map(Effect.scope, (scope) => {
    const running = new Map<string, Deferred.Deferred<A, E>>()

    return {
      has: (key: string): boolean => running.has(key),
      join: (key: string, lookUp: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          const known = running.get(key)
          if (known !== undefined) return Deferred.await(known)
          const flight = Deferred.unsafeMake<A, E>(FiberId.none)
          running.set(key, flight)
          const flying = Effect.onExit(lookUp, (exit) =>
            Effect.sync(() => {
              running.delete(key)
              Deferred.unsafeDone(flight, exit)
            })
          )
          return Effect.zipRight(Effect.forkIn(Effect.interruptible(flying), scope), Deferred.await(flight))
        })
    }
  })
