import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Scheduler from "effect/Scheduler"

/** Runs the first fiber up to its k-th operation, lets it yield there, and interrupts it. */
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
 * Interrupts an effect at each of its operations in turn, and runs the effect beside it each time. Both are made anew for each
 * operation. Returns how many there are.
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
