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
      /**
       * Lookups with equal keys join one run. Until one of them is sent, each caller waits in its own turn; the first turn
       * sends it for all. `isOfCaller` is true for failures of a caller's wait.
       */
      shared: <A>(isOfCaller: (error: E) => boolean) => {
        const runs = SingleFlight.runs<string, A, E>()
        return {
          has: (key: string): boolean => runs.get(key) !== undefined,
          join:
            (key: string, caller: SingleFlight.SharingCaller<A, E>): Task.Task<A, E> =>
            (done) => {
              const joined = runs.get(key)
              const run = joined ?? runs.begin(key)
              if (joined === undefined) inTurns(run, isOfCaller, limit, late)
              // Before its work, which may end at once.
              const cancel = run.wait(done)
              run.joined(caller)
              return cancel
            }
        }
      }
    }
  })

interface Turn<A, E> extends SingleFlight.SharingCaller<A, E> {
  /** Undefined until its work has started. */
  cancel: (() => void) | undefined
}

/** Runs the work of each caller of a run until that of one is sent, and cancels that of the others. */
const inTurns = <A, E>(
  run: SingleFlight.Run<A, E>,
  isOfCaller: (error: E) => boolean,
  limit: TimeLimit,
  late: E
): void => {
  const turns: Array<Turn<A, E>> = []
  let waiting = 0
  let isSent = false
  const inTime = limit(() => end(Exit.fail(late)))

  const cancelOthers = (than?: Turn<A, E>): void => {
    for (const turn of turns) if (turn !== than) turn.cancel?.()
  }

  const end = (exit: Exit.Exit<A, E>): void => {
    inTime()
    cancelOthers()
    run.complete(exit)
  }

  const start = (turn: Turn<A, E>): void => {
    waiting++
    turn.cancel = () => {}
    turn.progress.onSent = () => {
      if (isSent) return
      isSent = true
      waiting = 1
      cancelOthers(turn)
    }
    turn.cancel = turn.work((exit) => {
      waiting--
      const error = Task.failureOf(exit)
      if (error === undefined || !isOfCaller(error)) return end(exit)
      // Another caller waits in its own turn, or may do so now.
      if (waiting > 0) return
      isSent = false
      const others = turns.filter(({ cancel }) => cancel === undefined)
      if (others.length === 0) return end(exit)
      for (const other of others) start(other)
    })
  }

  run.abandoned = () => end(Exit.interrupt(FiberId.none))
  run.joined = ({ name, progress, work }) => {
    const own = name?.()
    if (turns.length > 0 && turns.some((turn) => turn.name?.() === own)) return
    const turn: Turn<A, E> = { name, progress, work, cancel: undefined }
    turns.push(turn)
    if (!isSent) start(turn)
  }
}

export type SharedRuns<E> = Effect.Effect.Success<ReturnType<typeof make<E>>>
