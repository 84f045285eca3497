import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { timer } from "../kernel/timeout.ts"

const failureOf = <E>(cause: Cause.Cause<E>): E | undefined => (cause._tag === "Fail" ? cause.error : undefined)

/**
 * Begins the second where the first has failed, or when no time is left to wait for the first alone (`left`, ms, is called
 * again when the time should be over). The first success wins; the other is interrupted and not waited for. A failure that
 * stops ends both; else the last failure is the result. Costs one fiber and a timer unless the second begins.
 */
export const hedged = <A, E>(
  first: Effect.Effect<A, E>,
  second: Effect.Effect<A, E>,
  left: (now: number) => number,
  stops: (error: E) => boolean = () => false
): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.zip(Effect.clock, Effect.runtime<never>()), ([clock, runtime]) =>
    Effect.async<A, E>((resume) => {
      const running = new Set<Fiber.RuntimeFiber<A, E>>()
      let hasBegun = false
      let isOver = false
      let cancel = () => {}

      const begin = (effect: Effect.Effect<A, E>) => {
        const fiber = Runtime.runFork(runtime, Effect.interruptible(effect))
        running.add(fiber)
        fiber.addObserver((exit) => {
          running.delete(fiber)
          if (!isOver) ended(exit)
        })
      }

      const help = () => {
        cancel()
        hasBegun = true
        begin(second)
      }

      const ended = (exit: Exit.Exit<A, E>) => {
        const error = Exit.isFailure(exit) ? failureOf(exit.cause) : undefined
        if (Exit.isSuccess(exit) || (error !== undefined && stops(error))) settle(exit)
        else if (!hasBegun) help()
        else if (running.size === 0) settle(exit)
      }

      const settle = (exit: Exit.Exit<A, E>) => {
        isOver = true
        cancel()
        for (const fiber of running) fiber.unsafeInterruptAsFork(fiber.id())
        resume(exit)
      }

      const watch = () => {
        const time = left(clock.unsafeCurrentTimeMillis())
        if (time <= 0) help()
        else cancel = timer(clock, time, watch)
      }

      begin(first)
      if (!isOver && !hasBegun) watch()
      return Effect.suspend(() => {
        isOver = true
        cancel()
        return Fiber.interruptAll(running)
      })
    })
  )
