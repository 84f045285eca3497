import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { Lateness } from "../kernel/Lateness.ts"
import * as Task from "../kernel/Task.ts"
import { timer } from "../kernel/timeout.ts"

/** Time after which a late process checks again whether it should hedge, ms. */
const lateWait = 250

/**
 * Starts the second task when the first has failed, or when the time to wait for the first alone is over (`left`, ms,
 * is called again when it should be over) and the process is not late: then its own work delays the first. The first
 * success wins; the other task is cancelled without waiting for it. A failure that stops ends both; otherwise the last
 * failure is the result. A first task that has no time alone is hedged at once.
 */
export const hedgedTask =
  <A, E>(
    clock: Clock.Clock,
    first: Task.Task<A, E>,
    second: Task.Task<A, E>,
    left: (now: number) => number,
    isLate: () => boolean,
    stops: (error: E) => boolean = () => false
  ): Task.Task<A, E> =>
  (done) => {
    const running = new Set<{ cancel: () => void }>()
    let hasBegun = false
    let isOver = false
    let cancel = () => {}

    const begin = (task: Task.Task<A, E>) => {
      const run = { cancel: () => {} }
      running.add(run)
      run.cancel = task((exit) => {
        running.delete(run)
        if (!isOver) ended(exit)
      })
    }

    const help = () => {
      cancel()
      hasBegun = true
      begin(second)
    }

    const ended = (exit: Exit.Exit<A, E>) => {
      const error = Task.failureOf(exit)
      if (Exit.isSuccess(exit) || (error !== undefined && stops(error))) settle(exit)
      else if (!hasBegun) help()
      else if (running.size === 0) settle(exit)
    }

    const giveUp = () => {
      isOver = true
      cancel()
      for (const run of running) run.cancel()
    }

    const settle = (exit: Exit.Exit<A, E>) => {
      giveUp()
      done(exit)
    }

    const wait = (time: number) => {
      if (time <= 0) help()
      else cancel = timer(clock, time, () => wait(Math.max(remaining(), isLate() ? lateWait : 0)))
    }

    const remaining = () => left(clock.unsafeCurrentTimeMillis())

    begin(first)
    if (!isOver && !hasBegun) wait(remaining())
    return giveUp
  }

/** Like {@link hedgedTask}, for effects, which are interrupted: one fiber and a timer unless the second starts. */
export const hedged = <A, E>(
  first: Effect.Effect<A, E>,
  second: Effect.Effect<A, E>,
  left: (now: number) => number,
  stops?: (error: E) => boolean
): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.zip(Effect.clock, Effect.runtime<never>()), ([clock, runtime]) =>
    Effect.async<A, E>((resume) => {
      const fibers: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
      const task = Task.fromEffect((effect) => {
        const fiber = Runtime.runFork(runtime, effect)
        fibers.push(fiber)
        return fiber
      })
      const { isLate } = Context.get(runtime.context, Lateness)
      const cancel = hedgedTask(clock, task(first), task(second), left, isLate, stops)(resume)
      return Effect.suspend(() => {
        cancel()
        return Fiber.interruptAll(fibers)
      })
    })
  )
