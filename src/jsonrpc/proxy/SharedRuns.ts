import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import * as Task from "../../kernel/Task.ts"
import type { TimeLimit } from "../../kernel/timeout.ts"

/**
 * Work that continues if its first caller disconnects. Callers wait for it up to the limit, then fail with `late`.
 * Shared work is cancelled when its last caller has gone.
 */
export const make = <E>(limit: TimeLimit, late: E) =>
  Effect.map(FiberSet.makeRuntime<never>(), (start) => {
    /** Runs an effect as such work, in a new fiber. */
    const ofEffect = Task.fromEffect(start)

    /** Starts the work; returns a function that cancels it. */
    const begin = <A>(work: Task.Task<A, E>, run: SingleFlight.Run<A, E>): (() => void) => {
      const inTime = limit(() => run.complete(Exit.fail(late)))
      const cancel = work((exit) => {
        inTime()
        run.complete(exit)
      })
      return () => {
        inTime()
        cancel()
        run.complete(Exit.interrupt(FiberId.none))
      }
    }

    const beginShared = <A>(work: Task.Task<A, E>, run: SingleFlight.Run<A, E>): SingleFlight.Run<A, E> => {
      run.abandoned = begin(work, run)
      return run
    }

    return {
      ofEffect,
      /** Continues if its caller is interrupted. */
      detached: <A>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          const run = SingleFlight.single<A, E>()
          begin(ofEffect(work), run)
          return SingleFlight.resultOf(run)
        }),
      /** Starts the work for its first caller; all callers get its outcome. */
      once: <A>(work: Task.Task<A, E>): Task.Task<A, E> => {
        let run: SingleFlight.Run<A, E> | undefined
        return (done) => {
          run ??= beginShared(work, SingleFlight.single<A, E>())
          return run.wait(done)
        }
      },
      /** Lookups with equal keys join one run. A joined run that fails is begun once again if `isOfFirst` its caller. */
      shared: <A>(isOfFirst: (error: E) => boolean) => {
        const runs = SingleFlight.runs<string, A, E>()
        return {
          has: (key: string): boolean => runs.get(key) !== undefined,
          join: (key: string, lookUp: Task.Task<A, E>): Task.Task<A, E> => {
            const begun = () => runs.get(key) ?? beginShared(lookUp, runs.begin(key))
            return (done) => {
              const joined = runs.get(key)
              if (joined === undefined) return begun().wait(done)
              return Task.andThen(joined.wait, (exit) => {
                const error = Task.failureOf(exit)
                return error !== undefined && isOfFirst(error) ? begun().wait : Task.ended(exit)
              })(done)
            }
          }
        }
      }
    }
  })

export type SharedRuns<E> = Effect.Effect.Success<ReturnType<typeof make<E>>>
