import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as CallTime from "../../src/upstream/CallTime.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("the time of a call", () => {
  it("starts when the call is sent, and stops with its limits while the call waits", function* () {
    const time = CallTime.make(yield* Effect.clock)
    let over = 0
    time.limit(100, () => over++)
    time.limit(150, () => over++)()
    const later = (milliseconds: number) =>
      Effect.zipRight(
        TestClock.adjust(milliseconds),
        Effect.map(TestClock.currentTimeMillis, (now) => [time.elapsed(now), over])
      )
    assert.deepStrictEqual(yield* later(500), [0, 0])
    time.run()
    assert.deepStrictEqual(yield* later(60), [60, 0])
    time.pause()
    time.pause()
    assert.deepStrictEqual(yield* later(500), [60, 0])
    time.run()
    time.run()
    time.limit(60, () => over++)
    assert.deepStrictEqual(yield* later(39), [99, 0])
    assert.deepStrictEqual(yield* later(1), [100, 1])
    time.pause()
    assert.deepStrictEqual(yield* later(500), [100, 1])
    time.run()
    assert.deepStrictEqual(yield* later(20), [120, 2])
    assert.deepStrictEqual(yield* later(500), [620, 2])
  })

  it("is not negative if the clock is set back, and its limit is not longer", function* () {
    const time = CallTime.make(yield* Effect.clock)
    yield* TestClock.setTime(1_000_000)
    time.run()
    let over = 0
    time.limit(100, () => over++)
    yield* TestClock.setTime(0)
    time.pause()
    time.run()
    assert.strictEqual(time.elapsed(0), 0)
    yield* TestClock.adjust(100)
    assert.strictEqual(over, 1)
  })
})
