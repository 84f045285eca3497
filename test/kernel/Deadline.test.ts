import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Deadline from "../../src/kernel/Deadline.ts"
import { assert, describe, it } from "../support/vitest.ts"

const steps = ["collect", "read", "price", "write"] as const

describe("the deadline of a request", () => {
  it.effect("gives each step a share, later steps more, and leaves time to write the response", () =>
    Effect.sync(() => {
      const shares = steps.map(Deadline.make(10_000).share)
      assert.deepStrictEqual(shares, [7_000, 7_500, 8_000, 9_300])
    })
  )

  it("counts from the start of the request", function* () {
    yield* TestClock.setTime(5_000)
    const { remaining, until } = yield* Deadline.make(1_000).start
    assert.deepStrictEqual(steps.map(until), [5_700, 5_750, 5_800, 5_930])
    yield* TestClock.adjust("760 millis")
    assert.deepStrictEqual(yield* Effect.forEach(steps, remaining), [0, 0, 40, 170])
  })
})
