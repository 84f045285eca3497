import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as RateLimit from "../../../src/http/access/RateLimit.ts"

describe("of too many clients", () => {
  it("those with the most left are forgotten, so that nobody gets more by making us forget", () => {
    const { take } = RateLimit.make(2, 16)
    assert.deepStrictEqual([take("used up", 0), take("used up", 0)], [0, 0])
    for (let other = 0; other < 1000; other++) assert.strictEqual(take(`other ${other}`, 0), 0)
    assert.strictEqual(take("used up", 0), 30)
  })

  it("the idle go first", () => {
    const { take } = RateLimit.make(1, 2)
    assert.strictEqual(take("idle", 0), 0)
    assert.strictEqual(take("busy", 60_000), 0)
    assert.strictEqual(take("new", 60_000), 0)
    assert.strictEqual(take("busy", 60_000), 60)
  })
})

describe("the calls of a batch", () => {
  it("count as many requests", () => {
    const { take, takeRest } = RateLimit.make(60)
    assert.strictEqual(take("a", 0), 0)
    assert.strictEqual(takeRest("a", 0, 49), 0)
    for (let call = 0; call < 10; call++) assert.strictEqual(take("a", 0), 0)
    assert.strictEqual(take("a", 0), 1)
  })

  it("are refused together, with the time after which they are not", () => {
    const { take, takeRest } = RateLimit.make(60)
    for (let call = 0; call < 31; call++) assert.strictEqual(take("a", 0), 0)
    assert.strictEqual(takeRest("a", 0, 39), 11)
    assert.strictEqual(take("a", 11_000), 0)
    assert.strictEqual(takeRest("a", 11_000, 39), 0)
  })

  it("may be more than those of a minute, where none of these is used, and the rest is owed", () => {
    const { take, takeRest } = RateLimit.make(60)
    assert.strictEqual(take("a", 0), 0)
    assert.strictEqual(takeRest("a", 0, 99), 0)
    assert.strictEqual(take("a", 40_000), 1)
    assert.strictEqual(take("a", 41_000), 0)
  })

  it("never are more than the limit allows over a longer time, in whatever order they come", () => {
    const step = FastCheck.record({
      after: FastCheck.integer({ min: 0, max: 30_000 }),
      calls: FastCheck.integer({ min: 1, max: 200 })
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 100 }), FastCheck.array(step), (limit, steps) => {
        const { take, takeRest } = RateLimit.make(limit)
        let now = 0
        let granted = 0
        let largest = 0
        for (const { after, calls } of steps) {
          now += after
          if (take("a", now) > 0) continue
          granted++
          if (calls > 1 && takeRest("a", now, calls - 1) === 0) {
            granted += calls - 1
            largest = Math.max(largest, calls)
          }
        }
        // One batch may be larger than a minute's worth; what is beyond is paid back later.
        assert.isAtMost(granted, limit * (1 + now / 60_000) + Math.max(0, largest - limit) + 1e-6)
      }),
      { numRuns: 200 }
    )
  })
})
