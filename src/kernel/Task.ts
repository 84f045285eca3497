import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { timer } from "./timeout.ts"
import { tryOrElse } from "./tryOrElse.ts"

/**
 * Cancels a task. A task that continues nevertheless calls `hold` at once, and the function that this returns when it
 * ends.
 */
export type Cancel = (hold?: () => () => void) => void

/**
 * Work that reports its outcome by a callback, at most once, possibly before the call returns. For frequent work that
 * costs less than a fiber. The returned function cancels the task, which then reports nothing; it has no effect after
 * an outcome.
 */
export type Task<A, E = never> = (done: (exit: Exit.Exit<A, E>) => void) => Cancel

/** Starts an effect in a new fiber. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>

const nothing = () => {}

/** A task that has already ended with this outcome. */
export const ended =
  <A, E>(exit: Exit.Exit<A, E>): Task<A, E> =>
  (done) => {
    done(exit)
    return nothing
  }

/** Turns an effect into a task that runs it in a new fiber. */
export type OfEffect = <A, E>(effect: Effect.Effect<A, E>) => Task<A, E>

export const fromEffect =
  (run: Fork): OfEffect =>
  <A, E>(effect: Effect.Effect<A, E>): Task<A, E> =>
  (done) => {
    const fiber = run(Effect.interruptible(effect))
    fiber.addObserver(done)
    return () => {
      fiber.removeObserver(done)
      fiber.unsafeInterruptAsFork(fiber.id())
    }
  }

/** The `hold` of tasks that are cancelled in a fiber: what its request holds, if anything. */
export class CurrentHold extends Context.Reference<CurrentHold>()("kernel/CurrentHold", {
  defaultValue: (): (() => () => void) | undefined => undefined
}) {}

export const toEffect = <A, E>(task: Task<A, E>): Effect.Effect<A, E> =>
  Effect.async((resume) => {
    const cancel = task(resume)
    return Effect.map(CurrentHold, cancel)
  })

/** A task that continues if it is cancelled, and then reports nothing. */
export const lasting =
  <A, E>(task: Task<A, E>): Task<A, E> =>
  (done) => {
    let report: typeof done = done
    task((exit) => {
      const ended = report
      report = nothing
      ended(exit)
    })
    return (hold) => {
      if (report === done) report = hold?.() ?? nothing
    }
  }

/** Maps the outcome; if `change` throws, the outcome is that defect. */
export const mapExit =
  <A, E, B, E2>(task: Task<A, E>, change: (exit: Exit.Exit<A, E>) => Exit.Exit<B, E2>): Task<B, E2> =>
  (done) =>
    task((exit) => done(tryOrElse(change, exit, Exit.die)))

/** Error of a failed task; undefined for a success, a defect or an interruption. */
export const failureOf = <E>(exit: Exit.Exit<unknown, E>): E | undefined =>
  Exit.isFailure(exit) && exit.cause._tag === "Fail" ? exit.cause.error : undefined

/** Converts the outcome as `Effect.either` does. */
export const eitherOf = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<Either.Either<A, E>> => {
  if (Exit.isSuccess(exit)) return Exit.succeed(Either.right(exit.value))
  const failure = Cause.failureOrCause(exit.cause)
  return Either.isLeft(failure) ? Exit.succeed(Either.left(failure.left)) : Exit.failCause(failure.right)
}

/** Continues with the task that `next` returns for the outcome. If `next` throws, the outcome is that defect. */
export const andThen =
  <A, E, B, E2>(first: Task<A, E>, next: (exit: Exit.Exit<A, E>) => Task<B, E2>): Task<B, E2> =>
  (done) => {
    let cancelNext: Cancel | undefined
    const cancel = first((exit) => {
      cancelNext = tryOrElse(next, exit, (defect): Task<B, E2> => ended(Exit.die(defect)))(done)
    })
    return (hold) => (cancelNext ?? cancel)(hold)
  }

export const delayed =
  <A, E>(clock: Clock.Clock, milliseconds: number, task: Task<A, E>): Task<A, E> =>
  (done) => {
    let cancel: Cancel = timer(clock, milliseconds, () => {
      cancel = task(done)
    })
    return (hold) => cancel(hold)
  }

/** Continues with another task if the first succeeds. */
export const flatMap = <A, E, B, E2>(first: Task<A, E>, next: (value: A) => Task<B, E2>): Task<B, E | E2> =>
  andThen(
    first,
    (exit): Task<B, E | E2> => (Exit.isSuccess(exit) ? next(exit.value) : ended(Exit.failCause(exit.cause)))
  )

/** Runs a promise. If it rejects, the task fails with the result of `failed`. */
export const fromPromise =
  <A, E>(start: () => Promise<A>, failed: (cause: unknown) => E): Task<A, E> =>
  (done) => {
    let isOver = false
    const settled = (exit: Exit.Exit<A, E>) => {
      if (!isOver) done(exit)
    }
    start().then(
      (value) => settled(Exit.succeed(value)),
      (cause) => settled(Exit.fail(failed(cause)))
    )
    return () => {
      isOver = true
    }
  }

/**
 * Runs the task until `after` calls back, then cancels it and ends with `late()`. `after` returns a function that
 * cancels its callback.
 */
export const limited =
  <A, E>(after: (ring: () => void) => () => void, task: Task<A, E>, late: () => Exit.Exit<A, E>): Task<A, E> =>
  (done) => {
    let isOver = false
    let stop = nothing
    const cancel = task((exit) => {
      isOver = true
      stop()
      done(exit)
    })
    if (isOver) return nothing
    stop = after(() => {
      isOver = true
      cancel()
      done(late())
    })
    return (hold) => {
      if (isOver) return
      stop()
      cancel(hold)
    }
  }

/** {@link limited} by a timer of this many milliseconds. */
export const timeout = <A, E>(
  clock: Clock.Clock,
  milliseconds: number,
  task: Task<A, E>,
  late: () => Exit.Exit<A, E>
): Task<A, E> => limited((ring) => timer(clock, milliseconds, ring), task, late)
