import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import type { TimeLimit } from "../../kernel/TimeLimit.ts"

/**
 * What goes on when who began it leaves. Nobody waits for it beyond the limit, after which it counts as failed with `late`.
 */
export const make = <E>(limit: TimeLimit, late: E) =>
  Effect.map(FiberSet.makeRuntime<never>(), (run) => {
    /** Whoever leaves while it begins would leave a flight that never ends to all who join it: so it begins in one. */
    const begin = <A>(work: Effect.Effect<A, E>, begun: (flight: Deferred.Deferred<A, E>) => () => void) => {
      const flight = Deferred.unsafeMake<A, E>(FiberId.none)
      const over = begun(flight)
      const inTime = limit.after(() => {
        over()
        Deferred.unsafeDone(flight, Exit.fail(late))
      })
      run(Effect.interruptible(work)).addObserver((exit) => {
        inTime()
        over()
        Deferred.unsafeDone(flight, exit)
      })
      return Deferred.await(flight)
    }

    return {
      apart: <A>(work: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.suspend(() => begin(work, () => () => {})),
      /** Look-ups of which equal ones are made once: whoever asks for the same as one under way waits for that one. */
      shared: <A>() => {
        const running = new Map<string, Deferred.Deferred<A, E>>()
        return {
          has: (key: string): boolean => running.has(key),
          join: (key: string, lookUp: Effect.Effect<A, E>): Effect.Effect<A, E> =>
            Effect.suspend(() => {
              const known = running.get(key)
              if (known !== undefined) return Deferred.await(known)
              return begin(lookUp, (flight) => {
                running.set(key, flight)
                return () => {
                  if (running.get(key) === flight) running.delete(key)
                }
              })
            })
        }
      }
    }
  })

export type SingleFlight<E> = Effect.Effect.Success<ReturnType<typeof make<E>>>
