import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { lookups } from "../../../src/kernel/collections/lookups.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const options = {
  capacity: 10,
  timeToLive: (exit: Exit.Exit<unknown, unknown>) => (Exit.isSuccess(exit) ? "1 day" : 0)
} as const

describe("a lookup that several callers share", () => {
  it("continues for the other callers when the first caller is interrupted", function* () {
    const gate = yield* Deferred.make<void>()
    let calls = 0
    const read = yield* lookups({
      ...options,
      lookup: (key: string) =>
        Effect.zipRight(
          Effect.sync(() => calls++),
          Effect.as(Deferred.await(gate), key)
        )
    })
    const first = yield* Effect.fork(read("a"))
    yield* Effect.yieldNow()
    const second = yield* Effect.fork(read("a"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(second), "a")
    assert.strictEqual(yield* read("a"), "a")
    assert.strictEqual(calls, 1)
  })

  it("is made again after the clock was set back, also after a failure, but not for a correction", function* () {
    const hour = 3_600_000
    let calls = 0
    const read = yield* lookups({
      ...options,
      lookup: (key: string) =>
        Effect.suspend(
          (): Effect.Effect<string, string> => (++calls === 1 ? Effect.fail("early") : Effect.succeed(key))
        )
    })
    yield* TestClock.setTime(2 * hour)
    assert.strictEqual(yield* Effect.flip(read("a")), "early")
    yield* TestClock.setTime(hour)
    assert.strictEqual(yield* read("a"), "a")
    yield* TestClock.setTime(hour - 500)
    yield* read("a")
    assert.strictEqual(calls, 2)
    yield* TestClock.setTime(0)
    yield* read("a")
    assert.strictEqual(calls, 3)
  })
})
