import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

interface Sleeper {
  until: number
  readonly wake: () => void
}

/** Rounds of the event loop after which all work of a step in this process has settled. */
const rounds = 6

let inFlight = 0

/** Marks an effect that waits for another process: simulated clocks stop until it completes. */
export const external = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => void inFlight++),
    () => effect,
    () => Effect.sync(() => void inFlight--)
  )

/** Completes when all work of this process has settled and no external effect is in flight. */
export const untilIdle = Effect.promise(async () => {
  do {
    if (inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
  } while (inFlight > 0)
})

/** A clock that never advances: no timeout fires. */
export const frozenClock = (now: number): Clock.Clock => ({
  ...Clock.make(),
  unsafeCurrentTimeMillis: () => now,
  unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
  sleep: () => Effect.never
})

/**
 * A clock that jumps from one sleeper's wake-up time to the next: days of background work take seconds. Effects use it
 * if they run inside `live`.
 */
export const simulated = (start: number) => {
  const sleepers = new Set<Sleeper>()
  let now = start
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper = { until: now + Math.ceil(Duration.toMillis(duration)), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }
  const next = () => {
    let first: Sleeper | undefined
    for (const sleeper of sleepers) if (first === undefined || sleeper.until < first.until) first = sleeper
    return first
  }
  const wakeUntil = (time: number) => {
    now = Math.max(now, time)
    for (const sleeper of [...sleepers]) {
      if (sleeper.until > now) continue
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  return {
    /** Runs an effect on this clock until it ends. Returns its outcome and duration, ms. */
    finish: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const began = now
        const fiber = yield* Effect.fork(Effect.withClock(effect, clock))
        yield* untilIdle
        while (fiber.unsafePoll() === null) {
          const first = next()
          if (first === undefined) return yield* Effect.dieMessage("the effect waits without a timer")
          wakeUntil(first.until)
          yield* untilIdle
        }
        const took = now - began
        return { outcome: yield* Effect.either(Fiber.join(fiber)), took }
      }),
    live: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withClock(effect, clock),
    /** Sets the clock back, ms; sleepers wait as long as before. */
    setBack: (milliseconds: number) => {
      now -= milliseconds
      for (const sleeper of sleepers) sleeper.until -= milliseconds
    },
    /** Advances the clock, ms. */
    pass: (milliseconds: number) =>
      Effect.gen(function* () {
        const end = now + milliseconds
        yield* untilIdle
        for (let first = next(); first !== undefined && first.until <= end; first = next()) {
          wakeUntil(first.until)
          yield* untilIdle
        }
        now = end
      })
  }
}
