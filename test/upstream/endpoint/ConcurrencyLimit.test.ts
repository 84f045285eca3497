import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { Reason } from "../../../src/domain/Reason.ts"
import * as ConcurrencyLimit from "../../../src/upstream/endpoint/ConcurrencyLimit.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const { make } = ConcurrencyLimit

/** Ends a call. */
const end = (
  { ended }: ConcurrencyLimit.ConcurrencyLimit,
  started: number,
  now: number,
  failure?: Reason,
  pause = 0
): void => ended({ failure, pause, started, time: now - started }, now)

/** Ends one round of calls at the current limit, all started at its begin, and returns the limit afterwards. */
const round = (limit: ConcurrencyLimit.ConcurrencyLimit, started: number, time: number, failure?: Reason) => {
  for (let call = limit.limit(); call > 0; call--) end(limit, started, started + time, failure)
  return limit.limit()
}

/** With more waiting calls than permits. */
const busy = Effect.fnUntraced(function* (bounds: ConcurrencyLimit.Bounds, growth = ConcurrencyLimit.growth()) {
  const limit = make(bounds, growth)
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
      end(limit, 1_000 * index, 1_000 * index + 500, "timeout")
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

  it("grows by responses whose times are unknown", function* () {
    const limit = yield* busy(bounds)
    round(limit, 0, 100)
    for (let call = 0; call < 100; call++)
      limit.ended({ failure: undefined, pause: 0, started: 1_000, time: undefined }, 9_000)
    assert.deepStrictEqual([limit.limit(), limit.usual()], [64, undefined])
  })

  it("grows by one per round if only clients wait, who then have at most half of it", function* () {
    const limit = make(bounds)
    yield* Effect.forkAll(Array.from({ length: 200 }, () => limit.withPermit(Effect.never, "client")))
    yield* Effect.repeatN(Effect.yieldNow(), 3)
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((index) => round(limit, 100 * index, 100)),
      [9, 10, 11, 12]
    )
  })

  it("grows at one address of an upstream at a time, and at none for ten times a pause that a host demands, at most a day", function* () {
    const growth = ConcurrencyLimit.growth()
    const all = yield* Effect.replicateEffect(busy(bounds, growth), 2)
    const [one, other] = [all[0] ?? assert.fail(), all[1] ?? assert.fail()]
    const limits = () => [one.limit(), other.limit()]
    round(one, 0, 100)
    round(other, 0, 100)
    assert.deepStrictEqual(limits(), [16, 8])
    round(other, 1_000, 100)
    round(one, 1_000, 100)
    assert.deepStrictEqual(limits(), [16, 16])
    end(other, 3_000, 3_000, "rate_limited", 60_000)
    for (const started of [4_000, 500_000, 602_800]) for (const limit of [one, other]) round(limit, started, 100)
    assert.deepStrictEqual(limits(), [16, 8])
    round(one, 603_000, 100)
    assert.deepStrictEqual(limits(), [32, 8])
    const day = 86_400_000
    end(other, 700_000, 700_000, "rate_limited", day)
    for (const started of [700_100, 700_000 + day - 200]) round(one, started, 100)
    assert.deepStrictEqual(limits(), [32, 4])
    round(one, 700_000 + day, 100)
    assert.deepStrictEqual(limits(), [64, 4])
  })
})

/** A host that takes this long for each call, ms, depending on the number of calls in progress and a random number. */
type Host = (inFlight: number, random: number) => { readonly time: number; readonly failure?: Reason }

/** The median of the limit while 100 owners call a host without a break. */
const simulated = Effect.fnUntraced(function* (host: Host) {
  const limit = make(bounds)
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const limits: Array<number> = []
  let inFlight = 0
  const call = Effect.gen(function* () {
    const started = yield* TestClock.currentTimeMillis
    const { failure, time } = host(++inFlight, random())
    yield* Effect.sleep(time)
    inFlight--
    end(limit, started, yield* TestClock.currentTimeMillis, failure)
    limits.push(limit.limit())
  })
  const all = yield* Effect.forkAll(
    Array.from({ length: 100 }, () => Effect.forever(limit.withPermit(call))),
    { discard: false }
  )
  while (limits.length < 2_000) yield* TestClock.adjust(50)
  yield* Fiber.interrupt(all)
  return limits.slice(500).toSorted((a, b) => a - b)[750] ?? 0
})

describe("the concurrency to a host whose calls", () => {
  it("take equal times is the maximum", function* () {
    assert.strictEqual(yield* simulated(() => ({ time: 50 })), 64)
  })

  it("differ in their cost is the maximum, too", function* () {
    assert.strictEqual(yield* simulated((_, random) => ({ time: random < 0.1 ? 2_000 : 50 })), 64)
    assert.strictEqual(yield* simulated((_, random) => ({ time: random < 0.5 ? 2_000 : 50 })), 64)
  })

  it("are refused in one of five cases is small", function* () {
    const limit = yield* simulated((_, random) => (random < 0.2 ? { time: 50, failure: "rate_limited" } : { time: 50 }))
    assert.isAtMost(limit, 4)
  })

  it("wait for each other beyond 16 is far below the maximum", function* () {
    const limit = yield* simulated((inFlight, random) => ({
      time: (random < 0.1 ? 500 : 50) * Math.max(1, inFlight / 8) ** 2
    }))
    assert.isAtMost(limit, 24)
  })
})
