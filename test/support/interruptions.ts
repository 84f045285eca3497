import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Scheduler from "effect/Scheduler"

/** Interrupts the first fiber at its k-th operation. */
const interruptingAt = (k: number): Scheduler.Scheduler => {
  let first: Fiber.RuntimeFiber<unknown, unknown> | undefined
  let operations = 0
  return {
    scheduleTask: (task, priority) => Scheduler.defaultScheduler.scheduleTask(task, priority),
    shouldYield: (fiber) => {
      first ??= fiber
      if (fiber !== first || ++operations !== k) return Scheduler.defaultScheduler.shouldYield(fiber)
      fiber.unsafeInterruptAsFork(FiberId.none)
      return 0
    }
  }
}

/**
 * Interrupts an effect at each of its operations in turn, and runs `after` each time. Builds both again for each
 * operation. Returns the number of operations.
 */
export const atEachOperation = <E, R>(
  prepared: Effect.Effect<
    readonly [interrupted: Effect.Effect<unknown>, after: (operation: number) => Effect.Effect<void>],
    E,
    R
  >
) =>
  Effect.gen(function* () {
    for (let operation = 1; ; operation++) {
      const [interrupted, after] = yield* prepared
      const fiber = yield* Effect.forkDaemon(Effect.withScheduler(interrupted, interruptingAt(operation)))
      const exit = yield* Fiber.await(fiber)
      yield* after(operation)
      if (!Exit.isInterrupted(exit)) return operation - 1
    }
  })
