import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

/** Lets the test's time pass, a step at a time, until the effect has ended: for what waits again and again. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.DurationInput = "1 second") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* Effect.yieldNow()
    for (let steps = 0; steps < 200 && Option.isNone(yield* Fiber.poll(fiber)); steps++) yield* TestClock.adjust(step)
    return yield* Fiber.join(fiber)
  })
