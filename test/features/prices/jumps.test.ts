import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as TestClock from "effect/TestClock"
import { confirms, isDoubtful } from "../../../src/features/prices/OutlierGuard.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { id, minute, none, overStore, prices, source, summary, test } from "./pricing.ts"

const jumps = (outcome: "refused" | "confirmed") =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(
      ({ metricKey }) => metricKey.name === "price_jumps_total" && metricKey.tags.some(({ value }) => value === outcome)
    )
    return found !== undefined && MetricState.isCounterState(found.metricState) ? Number(found.metricState.count) : 0
  })

/** Reads after this many minutes, when the price is due again, and again after the background lookup. */
const later = Effect.fnUntraced(function* (minutes: number, coin = "dai") {
  yield* TestClock.adjust(minutes * minute)
  yield* prices(coin)
  yield* TestClock.adjust(10)
  return summary(yield* prices(coin))[coin]
})

describe("a price that jumps", () => {
  for (const [how, to] of [
    ["up", 1.51],
    ["down", 0.49]
  ] as const)
    test(
      `${how} by more than half is rejected if no second source has the coin, and is counted`,
      () => [source("a", { dai: [1] }), source("b")],
      function* (a = none) {
        yield* prices("dai")
        const before = yield* jumps("refused")
        a.state.known = { dai: [to] }
        assert.strictEqual(yield* later(2), "no_price")
        assert.strictEqual(yield* jumps("refused"), before + 1)
      }
    )

  test(
    "is not confirmed if the same source returns it twice",
    () => [source("a", { dai: [1] })],
    function* () {
      yield* prices("dai")
      const updatedAt = yield* TestClock.currentTimeMillis
      const twice = { coinId: id("dai"), usd: 9, updatedAt, source: "b" }
      yield* (yield* Pricing).accept("b", [twice, { ...twice }])
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "no_price" })
    }
  )

  for (const to of [1.5, 0.5])
    test(
      `to ${to} of the last one is accepted`,
      () => [source("a", { dai: [1] }), source("b")],
      function* (a = none, b = none) {
        yield* prices("dai")
        a.state.known = { dai: [to] }
        assert.strictEqual(yield* later(2), `a ${to}`)
        assert.deepStrictEqual(b.requested, [])
      }
    )

  test(
    "is accepted if a second source confirms it, with the price of the first source",
    () => [source("a", { dai: [1], bitcoin: [5] }), source("b")],
    function* (a = none, b = none) {
      yield* prices("dai", "bitcoin")
      const before = yield* jumps("confirmed")
      a.state.known = { dai: [2], bitcoin: [5] }
      b.state.known = { dai: [1.9] }
      assert.strictEqual(yield* later(2), "a 2")
      assert.deepStrictEqual(b.requested, [["dai"]], "no other coin is requested from the second source")
      assert.strictEqual(yield* jumps("confirmed"), before + 1)
    }
  )

  test(
    "is rejected if the second source contradicts it or does not respond",
    () => [source("a", { dai: [1], bitcoin: [5] }), source("b", { dai: [1] })],
    function* (a = none, b = none) {
      yield* prices("dai", "bitcoin")
      a.state.known = { dai: [2], bitcoin: [11] }
      assert.strictEqual(yield* later(2, "dai"), "no_price")
      b.state.failing = "timeout"
      assert.strictEqual(yield* later(0, "bitcoin"), "no_price")
    }
  )

  test(
    "is confirmed by a third source if the second one contradicts it",
    () => [source("a", { dai: [1] }), source("b", { dai: [1] }), source("c")],
    function* (a = none, _, c = none) {
      yield* prices("dai")
      a.state.known = { dai: [2] }
      c.state.known = { dai: [2.1] }
      assert.strictEqual(yield* later(2), "a 2")
    }
  )

  test(
    "in one source does not affect the price that two others return",
    () => [source("a", { dai: [100] }), source("b"), source("c")],
    function* (a = none, b = none, c = none) {
      yield* prices("dai")
      a.state.known = { dai: [200] }
      b.state.known = { dai: [101] }
      c.state.known = { dai: [100.5] }
      assert.strictEqual(yield* later(2), "b 101")
    }
  )

  test(
    "is rejected while it lasts, and the price is accepted again when it falls back",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai")
      a.state.known = { dai: [1000] }
      assert.strictEqual(yield* later(2), "no_price")
      assert.strictEqual(yield* later(2), "no_price")
      a.state.known = { dai: [1.01] }
      assert.strictEqual(yield* later(2), "a 1.01")
    }
  )

  test(
    "is accepted once the last price is ten minutes old",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai")
      a.state.known = { dai: [3] }
      for (let passed = 0; passed < 8; passed += 2) assert.strictEqual(yield* later(2), "no_price")
      assert.strictEqual(yield* later(3), "a 3")
    }
  )

  test(
    "also requires a second source if the source itself reports a hundredfold change in a day",
    () => [source("a", { dai: [1, 0, { changePercent24h: 223_976_811 }] }), source("b")],
    function* (_, b = none) {
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "no_price" })
      b.state.known = { dai: [1.02] }
      assert.strictEqual(yield* later(2), "a 1")
    }
  )

  test(
    "is also rejected from a background refresh",
    () => [source("a", { dai: [1] }), source("b")],
    function* (_, b = none) {
      const pricing = yield* Pricing
      yield* prices("dai")
      const now = yield* TestClock.currentTimeMillis
      const tenfold = [{ coinId: id("dai"), usd: 10, updatedAt: now, source: "a" }]
      yield* pricing.accept("a", tenfold)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "no_price" })
      assert.deepStrictEqual(b.requested, [["dai"]])
      b.state.known = { dai: [10] }
      yield* pricing.accept("a", tenfold)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 10" })
    }
  )

  it("is still rejected after a restart", function* () {
    yield* TestClock.setTime(365 * 24 * 60 * minute)
    const store = yield* Layer.build(Memory.layer())
    const a = source("a", { dai: [1] })
    const started = Effect.suspend(() =>
      Effect.map(Effect.provide(prices("dai"), overStore(a)), summary).pipe(
        Effect.provide(store),
        Effect.provide(Settings.layer({}))
      )
    )
    assert.deepStrictEqual(yield* started, { dai: "a 1" })
    a.state.known = { dai: [9] }
    yield* TestClock.adjust(2 * minute)
    const served = Effect.gen(function* () {
      yield* prices("dai")
      yield* TestClock.adjust(10)
      return summary(yield* prices("dai"))
    }).pipe(Effect.provide(overStore(a)), Effect.provide(store), Effect.provide(Settings.layer({})))
    assert.deepStrictEqual(yield* served, { dai: "no_price" }, "compared with the stored price")
    yield* TestClock.adjust(minute)
    assert.deepStrictEqual(yield* started, { dai: "no_price" }, "compared with the stored rejected prices")
  })
})

const price = (usd: number, updatedAt = 0) => ({ coinId: id("x"), usd, updatedAt, source: "a" })
const amount = fc.double({ min: 1e-12, max: 1e9, noNaN: true })

describe("the measure of a jump", () => {
  it.prop(
    "depends only on the ratio of the prices",
    [amount, fc.double({ min: 0.01, max: 100, noNaN: true })],
    ([usd, by]) => {
      const close = (limit: number) => Math.abs(by - limit) < 1e-9
      if (close(0.5) || close(1.5)) return
      assert.strictEqual(isDoubtful(price(usd * by), price(usd)), by < 0.5 || by > 1.5)
    }
  )

  it.prop("accepts an unchanged price, and confirms a price if two sources agree", [amount], ([usd]) => {
    assert.isFalse(isDoubtful(price(usd), price(usd)))
    assert.isFalse(isDoubtful(price(usd), undefined))
    assert.isTrue(confirms(price(usd), price(usd)))
    assert.isFalse(confirms(price(usd * 1.3), price(usd)))
  })

  it("needs no second source if the last price is older than ten minutes", () => {
    assert.isTrue(isDoubtful(price(9, 10 * minute), price(1)))
    assert.isFalse(isDoubtful(price(9, 10 * minute + 1), price(1)))
  })
})
