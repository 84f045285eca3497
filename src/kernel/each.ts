import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"

/**
 * Runs the effect for each item and returns the results in the order of the items. Costs half of `Effect.forEach`, and
 * a single item, the most frequent case, needs no fiber. Starts the fibers by the scheduler, so that many of them do not
 * hold the event loop. Fails with the first failure and interrupts the other fibers without waiting for them.
 */
export const each = <A, B, E, R>(
  items: ReadonlyArray<A>,
  effect: (item: A, index: number) => Effect.Effect<B, E, R>,
  concurrency = Number.POSITIVE_INFINITY
): Effect.Effect<Array<B>, E, R> => {
  if (items.length <= 1) return Effect.forEach(items, effect)
  if (items.length > concurrency) return Effect.forEach(items, effect, { concurrency })
  return Effect.flatMap(Effect.runtime<R>(), (runtime) =>
    Effect.async<Array<B>, E>((resume) => {
      const results = new Array<B>(items.length)
      const running = new Set<Fiber.RuntimeFiber<B, E>>()
      let left = items.length
      const failed = (cause: Cause.Cause<E>) => {
        left = -1
        for (const fiber of running) fiber.unsafeInterruptAsFork(fiber.id())
        resume(Effect.failCause(cause))
      }
      for (const [index, item] of items.entries()) {
        const started = Effect.interruptible(Effect.suspend(() => effect(item, index)))
        const fiber = Runtime.runFork(runtime, started, { immediate: false })
        running.add(fiber)
        fiber.addObserver((exit) => {
          running.delete(fiber)
          if (left < 0) return
          if (Exit.isFailure(exit)) return failed(exit.cause)
          results[index] = exit.value
          if (--left === 0) resume(Effect.succeed(results))
        })
      }
      return Effect.suspend(() => {
        left = -1
        return Fiber.interruptAll(running)
      })
    })
  )
}
