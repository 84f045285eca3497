import * as Effect from "effect/Effect"
import type { Reason } from "../../../src/domain/Reason.ts"
import * as ConcurrencyLimit from "../../../src/upstream/endpoint/ConcurrencyLimit.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const { make } = ConcurrencyLimit

/** Ends one round of calls at the current limit, all started at its begin, and returns the limit afterwards. */
const round = (limit: ConcurrencyLimit.ConcurrencyLimit, started: number, time: number, failure?: Reason) => {
  for (let call = limit.limit(); call > 0; call--) limit.ended(failure, started, started + time)
  return limit.limit()
}

/** With more waiting calls than permits. */
const busy = Effect.fnUntraced(function* (bounds: ConcurrencyLimit.Bounds) {
  const limit = make(bounds)
  yield* Effect.forkAll(Array.from({ length: 200 }, () => limit.withPermit(Effect.never)))
  yield* Effect.repeatN(Effect.yieldNow(), 3)
  return limit
})

const bounds = { start: 8, max: 64 }

describe("the concurrency to a host", () => {
  it("doubles each round while calls wait, up to the maximum", function* () {
    const limit = yield* busy(bounds)
    const limits = [0, 1, 2, 3, 4].map((index) => round(limit, 100 * index, 100))
    assert.deepStrictEqual(limits, [16, 32, 64, 64, 64])
  })

  it("stays at its start while no call waits", () => {
    const limit = make(bounds)
    assert.strictEqual(round(limit, 0, 100), 8)
    assert.strictEqual(limit.wait(100), 0)
  })

  it("is halved once per round by a rate limit, and then grows by one per round", function* () {
    const limit = yield* busy(bounds)
    assert.strictEqual(round(limit, 0, 100), 16)
    assert.strictEqual(round(limit, 100, 100, "rate_limited"), 8)
    // The calls of the same round that end later.
    assert.strictEqual(round(limit, 150, 100, "rate_limited"), 8)
    assert.deepStrictEqual([round(limit, 300, 100), round(limit, 400, 100)], [9, 10])
  })

  it("is also reduced after the clock was set back", function* () {
    const limit = yield* busy(bounds)
    assert.strictEqual(round(limit, 1_000_000, 100, "rate_limited"), 4)
    assert.strictEqual(round(limit, 0, 100, "rate_limited"), 2)
  })

  it("is never below one", function* () {
    const limit = yield* busy(bounds)
    for (let index = 0; index < 10; index++) round(limit, 100 * index, 50, "rate_limited")
    assert.strictEqual(limit.limit(), 1)
  })

  it("is not reduced by a single timeout", function* () {
    const limit = yield* busy({ start: 8, max: 8 })
    for (let index = 0; index < 5; index++) {
      limit.ended("timeout", 1_000 * index, 1_000 * index + 500)
      round(limit, 1_000 * index, 100)
      round(limit, 1_000 * index, 100)
    }
    assert.strictEqual(limit.limit(), 8)
  })

  it("is reduced by several timeouts, and doubles up to its start once the host is back", function* () {
    const limit = yield* busy(bounds)
    for (let index = 0; index < 8; index++) round(limit, 1_000 * index, 500, "timeout")
    assert.strictEqual(limit.limit(), 1)
    const limits = Array.from({ length: 4 }, (_, index) => round(limit, 10_000 + 100 * index, 100))
    assert.deepStrictEqual(limits, [2, 4, 8, 9])
  })

  it("falls back to its start, not below, while response times grow", function* () {
    const limit = yield* busy(bounds)
    for (let index = 0; index < 3; index++) round(limit, 100 * index, 100)
    assert.strictEqual(limit.limit(), 64)
    const limits = Array.from({ length: 12 }, (_, index) => round(limit, 10_000 * 4 ** index, 400 * 4 ** index))
    assert.strictEqual(limits[0], 51)
    assert.strictEqual(Math.min(...limits), 8)
  })

  it("ignores other failures", function* () {
    const limit = yield* busy(bounds)
    assert.strictEqual(round(limit, 0, 100, "upstream_error"), 8)
  })

  it("estimates the wait by the calls that wait", function* () {
    const limit = yield* busy(bounds)
    // 192 calls wait: 24 rounds of 8.
    assert.strictEqual(limit.wait(100), 2_400)
  })
})
