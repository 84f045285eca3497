import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Ring from "./collections/Ring.ts"
import { limited } from "./timeout.ts"

/** Fails with the result of `late` when the limit is over, and interrupts the effect without waiting for it. */
export type Within<R = never> = <A, E, E2>(self: Effect.Effect<A, E, R>, late: () => E2) => Effect.Effect<A, E | E2>

export interface TimeLimit {
  /** Limits effects that run with the context of this runtime instead of the context of their callers. */
  readonly within: <R>(runtime: Runtime.Runtime<R>) => Within<R>
  /** Calls `late` when the limit is over, unless the returned function is called first. */
  readonly after: (late: () => void) => () => void
}

interface Running {
  until: number
  readonly late: () => void
}

/**
 * One time limit, ms, for many effects. The oldest is always the next to time out, so one fiber watches them while
 * there are any and the scope is open. Costs a fifth of `Effect.timeoutFail`: a fiber of an existing runtime is cheap,
 * a child fiber that inherits the state of its parent is not.
 */
export const make = (limit: number): Effect.Effect<TimeLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const fork = Runtime.runFork(yield* Effect.runtime<never>())
    const running = Ring.make<Running>()
    /** Time at which the watcher runs next; in the past if there is no watcher. */
    let wakesAt = Number.NEGATIVE_INFINITY
    let watcher: Fiber.RuntimeFiber<void> | undefined
    // Otherwise a command that has ended would wait for the timer.
    yield* Effect.addFinalizer(() => (watcher === undefined ? Effect.void : Fiber.interrupt(watcher)))

    /**
     * Ends the effects whose time is over. Returns the time left for the next effect, ms; undefined without effects.
     */
    const expire = (now: number): number | undefined => {
      for (let item = running.oldest(); item !== undefined; item = running.oldest()) {
        // The clock was set back: no effect has more time than the limit.
        if (item.until > now + limit) item.until = now + limit
        if (item.until > now) return item.until - now
        running.removeOldest()
        item.late()
      }
      return undefined
    }

    const watch: Effect.Effect<void> = Effect.suspend(() => {
      const now = clock.unsafeCurrentTimeMillis()
      const next = expire(now)
      wakesAt = next === undefined ? Number.NEGATIVE_INFINITY : now + next
      return next === undefined ? Effect.void : Effect.zipRight(clock.sleep(Duration.millis(next)), watch)
    })

    const after: TimeLimit["after"] = (late) => {
      const now = clock.unsafeCurrentTimeMillis()
      const ticket = running.add({ until: now + limit, late })
      if (wakesAt < now || wakesAt > now + limit) {
        wakesAt = now + limit
        watcher = fork(Effect.interruptible(Effect.zipRight(clock.sleep(Duration.millis(limit)), watch)))
      }
      return () => running.remove(ticket)
    }

    return { after, within: (runtime) => failing(runtime, after) }
  })

/** Limits effects by one common end, this many ms from now. Use it only in the fiber that creates it. */
export const shared = (limit: number): Effect.Effect<Within> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const running = new Set<() => void>()
    let isOver = false
    const end = Effect.sync(() => {
      isOver = true
      for (const late of running) late()
    })
    yield* Effect.fork(Effect.interruptible(Effect.delay(end, limit)))
    const within = failing(runtime, (late) => {
      running.add(late)
      return () => running.delete(late)
    })
    return (self, late) => Effect.suspend(() => (isOver ? Effect.fail(late()) : within(self, late)))
  })

/** Fails effects when `after` calls back. */
const failing =
  <R>(runtime: Runtime.Runtime<R>, after: TimeLimit["after"]): Within<R> =>
  (self, late) =>
    limited(runtime, after)(self, () => Effect.fail(late()))
