import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as TimeLimit from "../kernel/TimeLimit.ts"

/** Who interrupts a request that has run out of time. */
export const deadlineId = FiberId.runtime(-504, 0)

/** Use cases respond at the deadline with what they have; a request still running this long after it is aborted, ms. */
export const grace = 500

/**
 * One time limit for all requests, ms. It interrupts the fiber that runs one, as {@link deadlineId}, when the limit is over;
 * what is uninterruptible goes on.
 */
export const make = (limit: number) =>
  Effect.map(
    TimeLimit.make(limit),
    ({ after }) =>
      <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.withFiberRuntime((fiber) => {
          const inTime = after(() => fiber.unsafeInterruptAsFork(deadlineId))
          return Effect.onExit(self, () => Effect.sync(inTime))
        })
  )

/** The outcome of a request when the limit is over. */
export const exceeded = (): Exit.Exit<never> => Exit.interrupt(deadlineId)
