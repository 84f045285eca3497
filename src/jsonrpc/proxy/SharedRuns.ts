import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import type { TimeLimit } from "../../kernel/TimeLimit.ts"

/**
 * Work that goes on when the caller that began it leaves. Nobody waits for it beyond the limit, after which it counts as
 * failed with `late`.
 */
export const make = <E>(limit: TimeLimit, late: E) =>
  Effect.map(FiberSet.makeRuntime<never>(), (start) => {
    const begin = <A>(work: Effect.Effect<A, E>, run: SingleFlight.Run<A, E>) => {
      const inTime = limit.after(() => run.complete(Exit.fail(late)))
      start(Effect.interruptible(work)).addObserver((exit) => {
        inTime()
        run.complete(exit)
      })
      return run.result
    }

    return {
      apart: <A>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => begin(work, SingleFlight.single())),
      /** Equal look-ups join one run. */
      shared: <A>() => {
        const runs = SingleFlight.runs<string, A, E>()
        return {
          has: (key: string): boolean => runs.get(key) !== undefined,
          join: (key: string, lookUp: Effect.Effect<A, E>): Effect.Effect<A, E> =>
            Effect.suspend(() => runs.get(key)?.result ?? begin(lookUp, runs.begin(key)))
        }
      }
    }
  })

export type SharedRuns<E> = Effect.Effect.Success<ReturnType<typeof make<E>>>
