import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

/** Advances the test clock step by step, up to 200 steps, until the effect ends: for effects that sleep repeatedly. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.DurationInput = "1 second") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* Effect.yieldNow()
    for (let steps = 0; steps < 200 && Option.isNone(yield* Fiber.poll(fiber)); steps++) yield* TestClock.adjust(step)
    return yield* Fiber.join(fiber)
  })
