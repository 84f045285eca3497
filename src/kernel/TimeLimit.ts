import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Ring from "./collections/Ring.ts"
import { limited } from "./timeout.ts"

/** Fails with what `late` gives once the limit is over; the effect is then interrupted, and not waited for. */
export type Within<R = never> = <A, E, E2>(self: Effect.Effect<A, E, R>, late: () => E2) => Effect.Effect<A, E | E2>

export interface TimeLimit {
  /** For effects that run with the context of this runtime, and not with that of their callers. */
  readonly within: <R>(runtime: Runtime.Runtime<R>) => Within<R>
  /** Runs this once the limit is over, unless what it gives was called before. */
  readonly after: (late: () => void) => () => void
}

interface Running {
  until: number
  readonly late: () => void
}

/**
 * One time limit, ms, for many effects: as it is the same for all, the oldest is always the next to time out, and one fiber
 * watches them while there are any and the scope is open. Does what `Effect.timeoutFail` does at a fifth of its cost: a
 * fiber of a known runtime is cheap, a child that inherits all of its parent is not.
 */
export const make = (limit: number): Effect.Effect<TimeLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const fork = Runtime.runFork(yield* Effect.runtime<never>())
    const running = Ring.make<Running>()
    /** When the watcher runs next; in the past where there is none. */
    let wakesAt = Number.NEGATIVE_INFINITY
    let watcher: Fiber.RuntimeFiber<void> | undefined
    // A command that has ended would otherwise wait for the timer.
    yield* Effect.addFinalizer(() => (watcher === undefined ? Effect.void : Fiber.interrupt(watcher)))

    /** Ends the effects whose time is over; how long the next one still has, undefined where there is none. */
    const expire = (now: number): number | undefined => {
      for (let item = running.oldest(); item !== undefined; item = running.oldest()) {
        // Nothing has more time than the limit: the clock was set back.
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

/** The same for effects that have one end in common, ms from now, whenever they begin; to be used in the fiber that makes it. */
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

/** Effects that fail where `after` says that their time is over. */
const failing =
  <R>(runtime: Runtime.Runtime<R>, after: TimeLimit["after"]): Within<R> =>
  (self, late) =>
    limited(runtime, after)(self, () => Effect.fail(late()))
