import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"

/** Who interrupts a request that has run out of time. */
export const deadlineId = FiberId.runtime(-504, 0)

/** Use cases answer at the deadline with what they have; only what overstays it by so much as well is cut off, ms. */
export const grace = 500

interface Running {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly until: number
}

/**
 * One time limit for all requests, watched by one fiber: a timer and two fibers for each request would cost more than
 * most requests do. As the limit is the same for all, the oldest request is always the next to run out.
 */
export const make = Effect.fn("Deadlines.make")(function* (limit: number) {
  const clock = yield* Effect.clock
  const running = new Set<Running>()

  const interruptLate = (now: number): number => {
    for (const request of running) {
      if (request.until > now) return request.until - now
      running.delete(request)
      request.fiber.unsafeInterruptAsFork(deadlineId)
    }
    return limit
  }
  yield* Clock.currentTimeMillis.pipe(
    Effect.map(interruptLate),
    Effect.flatMap((wait) => Effect.sleep(wait)),
    Effect.forever,
    Effect.forkScoped
  )

  /** Interrupts the fiber that runs it, as {@link deadlineId}, when the limit is over; what is uninterruptible goes on. */
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) => {
      const request = { fiber, until: clock.unsafeCurrentTimeMillis() + limit }
      running.add(request)
      return Effect.onExit(self, () => Effect.sync(() => running.delete(request)))
    })
})
