import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { dual } from "effect/Function"
import type * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"

const live = Context.get(DefaultServices.liveServices, Clock.Clock)

/** A timer that is later than this, ms, shows that the process was paused: a suspended machine, or no CPU time. */
const maxDelay = 250

/** Time after a pause to read what has arrived meanwhile, ms. The runtime calls timers before it reads sockets. */
const catchUp = 100

/** Longest delay that `setTimeout` supports, ms. */
const longest = 2 ** 31 - 1

/**
 * Calls back once after this time of this clock, always asynchronously, unless the returned function is called first.
 * With 0 ms it calls back after the event loop has read its sockets; after a pause of the process, a moment later.
 */
export const timer = (clock: Clock.Clock, milliseconds: number, onTimeout: () => void): (() => void) => {
  if (clock === live && milliseconds === 0) {
    const handle = setImmediate(onTimeout)
    return () => clearImmediate(handle)
  }
  if (clock === live) {
    const wait = Math.min(milliseconds, longest)
    const due = performance.now() + wait
    let handle = setTimeout(() => {
      if (performance.now() - due <= maxDelay) onTimeout()
      else handle = setTimeout(onTimeout, catchUp)
    }, wait)
    return () => clearTimeout(handle)
  }
  const wait = milliseconds === 0 ? Effect.yieldNow() : clock.sleep(Duration.millis(milliseconds))
  const fiber = Effect.runFork(Effect.zipRight(wait, Effect.sync(onTimeout)))
  return () => fiber.unsafeInterruptAsFork(fiber.id())
}

/** Calls `onTimeout` when a time limit is over, unless the returned function is called first. */
export type TimeLimit = (onTimeout: () => void) => () => void

/** The limit, ms, by the clock of the fiber. */
export const timeLimit = (milliseconds: number): Effect.Effect<TimeLimit> =>
  Effect.clockWith((clock) => Effect.succeed((onTimeout) => timer(clock, milliseconds, onTimeout)))

/**
 * Runs effects with the context of this runtime. If `after` calls back first, interrupts the effect without waiting for
 * it, and continues with `late`. `after` returns a function that cancels the callback, for an effect that ends earlier.
 */
const limited =
  <R>(runtime: Runtime.Runtime<R>, after: TimeLimit) =>
  <A, E, B, E2>(self: Effect.Effect<A, E, R>, late: () => Effect.Effect<B, E2>): Effect.Effect<A | B, E | E2> =>
    // The fiber starts inside `async`, which handles its interruption: the caller may be interrupted at any step.
    Effect.async<A | B, E | E2>((resume) => {
      const fiber = Runtime.runFork(runtime, Effect.interruptible(self))
      const done = fiber.unsafePoll()
      if (done !== null) return resume(done)
      const observe = (exit: Exit.Exit<A, E>) => {
        cancel()
        resume(exit)
      }
      const cancel = after(() => {
        fiber.removeObserver(observe)
        fiber.unsafeInterruptAsFork(fiber.id())
        resume(Effect.suspend(late))
      })
      fiber.addObserver(observe)
      return Effect.suspend(() => {
        cancel()
        fiber.removeObserver(observe)
        return Fiber.interrupt(fiber)
      })
    })

export interface TimeoutOptions<B, E> {
  readonly duration: Duration.DurationInput
  /** Result if the time is over. */
  readonly onTimeout: () => Effect.Effect<B, E>
}

/**
 * Runs the effect. When the time is over, interrupts it without waiting for it and continues with `onTimeout`. Costs a
 * third of `Effect.timeoutTo`: one fiber and a timer, and no timer for an effect that ends synchronously.
 */
export const timeoutTo: {
  <B, E2>(late: TimeoutOptions<B, E2>): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | B, E | E2, R>
  <A, E, R, B, E2>(self: Effect.Effect<A, E, R>, late: TimeoutOptions<B, E2>): Effect.Effect<A | B, E | E2, R>
} = dual(
  2,
  <A, E, R, B, E2>(
    self: Effect.Effect<A, E, R>,
    { duration, onTimeout }: TimeoutOptions<B, E2>
  ): Effect.Effect<A | B, E | E2, R> =>
    Effect.flatMap(Effect.zip(Effect.clock, Effect.runtime<R>()), ([clock, runtime]) =>
      limited(runtime, (onEnd) => timer(clock, Duration.toMillis(duration), onEnd))(self, onTimeout)
    )
)

export interface FailureOptions<E> {
  readonly duration: Duration.DurationInput
  readonly onTimeout: () => E
}

/** {@link timeoutTo} that fails with `onTimeout()`. */
export const timeoutFail: {
  <E2>(late: FailureOptions<E2>): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R>
  <A, E, R, E2>(self: Effect.Effect<A, E, R>, late: FailureOptions<E2>): Effect.Effect<A, E | E2, R>
} = dual(
  2,
  <A, E, R, E2>(
    self: Effect.Effect<A, E, R>,
    { duration, onTimeout }: FailureOptions<E2>
  ): Effect.Effect<A, E | E2, R> => timeoutTo(self, { duration, onTimeout: () => Effect.fail(onTimeout()) })
)

/** {@link timeoutTo} that returns `None` when the time is over. */
export const timeoutOption: {
  (duration: Duration.DurationInput): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, duration: Duration.DurationInput): Effect.Effect<Option.Option<A>, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, duration: Duration.DurationInput): Effect.Effect<Option.Option<A>, E, R> =>
    timeoutTo(Effect.asSome(self), { duration, onTimeout: () => Effect.succeedNone })
)
