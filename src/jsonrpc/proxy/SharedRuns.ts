import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import * as Task from "../../kernel/Task.ts"
import type { TimeLimit } from "../../kernel/timeout.ts"

/** Work that continues if its first caller disconnects. Callers wait for it up to the limit, then fail with `late`. */
export const make = <E>(limit: TimeLimit, late: E) =>
  Effect.map(FiberSet.makeRuntime<never>(), (start) => {
    /** Runs an effect as such work, in a new fiber. */
    const ofEffect = Task.fromEffect(start)

    const begin = <A>(work: Task.Task<A, E>, run: SingleFlight.Run<A, E>): SingleFlight.Run<A, E> => {
      const inTime = limit(() => run.complete(Exit.fail(late)))
      work((exit) => {
        inTime()
        run.complete(exit)
      })
      return run
    }

    return {
      ofEffect,
      detached: <A>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => SingleFlight.resultOf(begin(ofEffect(work), SingleFlight.single<A, E>()))),
      /** Lookups with equal keys join one run. */
      shared: <A>() => {
        const runs = SingleFlight.runs<string, A, E>()
        return {
          has: (key: string): boolean => runs.get(key) !== undefined,
          join:
            (key: string, lookUp: Task.Task<A, E>): Task.Task<A, E> =>
            (done) =>
              (runs.get(key) ?? begin(lookUp, runs.begin(key))).wait(done)
        }
      }
    }
  })

export type SharedRuns<E> = Effect.Effect.Success<ReturnType<typeof make<E>>>
