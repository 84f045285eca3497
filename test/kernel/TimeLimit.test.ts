import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TimeLimit from "../../src/kernel/TimeLimit.ts"

it.effect("the timer of a time limit ends with its scope, so that a completed command does not wait for it", () =>
  Effect.gen(function* () {
    const timers = new Set<object>()
    const clock = Object.assign(Clock.make(), {
      sleep: () =>
        Effect.async<void>(() => {
          const timer = {}
          timers.add(timer)
          return Effect.sync(() => void timers.delete(timer))
        })
    })
    const used = Effect.gen(function* () {
      const { within } = yield* TimeLimit.make(5_000)
      const inTime = within(yield* Effect.runtime<never>())
      assert.strictEqual(yield* inTime(Effect.as(Effect.yieldNow(), "done"), () => "late"), "done")
      assert.strictEqual(timers.size, 1)
    })
    yield* Effect.withClock(Effect.scoped(used), clock)
    assert.strictEqual(timers.size, 0)
  })
)
