import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { timeLimit } from "../kernel/timeout.ts"

/** Fiber id that interrupts a request when its time limit is over. */
export const deadlineId = FiberId.runtime(-504, 0)

/** Use cases respond at the deadline with the available data; a request running this long after it is aborted, ms. */
export const grace = 500

/** Time limit for all requests, ms: {@link deadlineId} then interrupts the fiber; uninterruptible regions continue. */
export const make = (limit: number) =>
  Effect.map(
    timeLimit(limit),
    (after) =>
      <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.withFiberRuntime((fiber) => {
          const inTime = after(() => fiber.unsafeInterruptAsFork(deadlineId))
          return Effect.onExit(self, () => Effect.sync(inTime))
        })
  )

/** Outcome of a request that exceeds the limit. */
export const exceeded = (): Exit.Exit<never> => Exit.interrupt(deadlineId)

/** Time left for a request of this start until the deadline, ms; negative after it. */
export const left = (clock: Clock.Clock, deadline: number, { started }: { readonly started: bigint }): number =>
  deadline - Number(clock.unsafeCurrentTimeNanos() - started) / 1e6
