import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ChartPeriod } from "../../../src/domain/charts/Ohlc.ts"
import { stored } from "../../../src/features/charts/Charts.ts"
import { everySeries, keyOf, type SeriesId } from "../../../src/features/charts/Series.ts"
import * as Lease from "../../../src/storage/Lease.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
import {
  begin,
  candles,
  day,
  hour,
  market,
  minute,
  opened,
  running,
  testOnSimulatedClock
} from "../../support/charting.ts"

const store = Effect.map(Layer.build(Memory.layer()), Layer.succeedContext)

const seriesOf = (id: SeriesId, at: number, source = "coingecko") => ({
  ...id,
  candles: candles(id.period, at),
  source,
  at
})

const coinsOf = (period: ChartPeriod) => everySeries.filter((id) => id.period === period)

describe("charts of several processes that share a store", () => {
  testOnSimulatedClock("are fetched by one of them and served by all", function* (pass) {
    const shared = yield* store
    const [first, second] = [market(), market()]
    const replica = yield* running(first, shared)
    yield* pass(0)
    const other = yield* running(second, shared)
    yield* pass(0)
    for (let hours = 0; hours < 3; hours++) {
      yield* pass(hour)
      yield* pass(minute)
      // The times identify the series.
      const times = (charts: typeof replica) => charts.loaded(everySeries).map(({ at, source }) => [at, source])
      assert.deepStrictEqual(times(other), times(replica))
    }
    assert.deepStrictEqual(other.loaded(everySeries), replica.loaded(everySeries))
    // All series at the start, and the 1-day series again after 2 hours.
    assert.strictEqual(first.calls.length + second.calls.length, 21 + 7)
    const now = yield* Clock.currentTimeMillis
    for (const { at, period } of other.loaded(everySeries))
      assert.isAtMost(now - at, { "1": 2, "30": 8, "365": 24 }[period] * hour)
  })

  testOnSimulatedClock(
    "are fetched only by the process with the lease, and by another process when that one ends",
    function* (pass) {
      const shared = yield* store
      const [first, second] = [market(), market()]
      const life = yield* Scope.make()
      // Its first fetch never completes.
      first.state.coingecko = () => Effect.never
      yield* Scope.extend(running(first, shared), life)
      yield* pass(0)
      const other = yield* running(second, shared)
      yield* pass(minute)
      assert.deepStrictEqual([first.calls.length, second.calls.length], [1, 0])
      yield* Scope.close(life, Exit.void)
      yield* pass(minute)
      assert.strictEqual(second.calls.length, 21)
      assert.strictEqual(other.loaded(everySeries).length, 21)
    }
  )

  testOnSimulatedClock("are taken over when the process with the lease does not renew it", function* (pass) {
    const shared = yield* store
    const lease = yield* Effect.provide(Lease.make("charts", "150 seconds"), shared)
    assert.isTrue(yield* lease.claim)
    const own = market()
    const charts = yield* running(own, shared)
    yield* pass(149_000)
    assert.deepStrictEqual(own.calls, [])
    // The series that the other process stored are loaded, one by one.
    const [id] = everySeries
    if (id === undefined) return
    const { save } = yield* Effect.provide(stored, shared)
    yield* save(seriesOf(id, begin + 149_000))
    yield* pass(6_000)
    assert.strictEqual(charts.loaded([id])[0]?.at, begin + 149_000)
    assert.strictEqual(own.calls.length, 20)
  })

  testOnSimulatedClock(
    "do not make a request wait long if the process with the lease does not fetch them",
    function* (pass) {
      const shared = yield* store
      const lease = yield* Effect.provide(Lease.make("charts", "1 hour"), shared)
      yield* lease.claim
      const charts = yield* running(market(), shared)
      yield* pass(minute)
      const { missing } = yield* charts.read(everySeries)
      assert.strictEqual(missing.length, 21)
    }
  )
})

describe("charts after a restart", () => {
  testOnSimulatedClock("are available at once while every upstream hangs", function* (pass) {
    const shared = yield* store
    yield* Effect.scoped(Effect.zipRight(running(market(), shared), pass(0)))
    yield* pass(30 * day)
    const own = market()
    own.state.coingecko = () => Effect.never
    own.state.binance = () => Effect.never
    const charts = yield* running(own, shared)
    const { missing, series } = yield* charts.read(everySeries)
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual(
      series,
      everySeries.map((id) => seriesOf(id, begin))
    )
  })

  testOnSimulatedClock(
    "are fetched when they are due: first the missing series, then the most overdue",
    function* (pass) {
      const shared = yield* store
      const { save } = yield* Effect.provide(stored, shared)
      const missing = ["cardano/1", "bitcoin/365"]
      const age = (id: SeriesId) =>
        keyOf(id) === "dogecoin/30" ? 20 * hour : keyOf(id) === "chainlink/1" ? 3 * hour : hour
      for (const id of everySeries) if (!missing.includes(keyOf(id))) yield* save(seriesOf(id, begin - age(id)))
      const own = market()
      yield* running(own, shared)
      yield* pass(0)
      assert.deepStrictEqual(own.calls, [
        "coingecko cardano 1",
        "coingecko bitcoin 365",
        "coingecko dogecoin 30",
        "coingecko chainlink 1"
      ])
      yield* pass(hour)
      assert.deepStrictEqual(
        own.calls.slice(4),
        coinsOf("1")
          .filter(({ coin }) => !["cardano", "chainlink"].includes(coin))
          .map(({ coin }) => `coingecko ${coin} 1`)
      )
    }
  )

  testOnSimulatedClock("are fetched again if they are dated in the future or are not valid candles", function* (pass) {
    const shared = yield* store
    const { save } = yield* Effect.provide(stored, shared)
    const [first, second, third] = everySeries
    if (first === undefined || second === undefined || third === undefined) return
    yield* save({ ...seriesOf(first, begin), at: begin + 300 * day })
    yield* Effect.provide(
      Effect.flatMap(Store, (store) =>
        store.open("charts", 1).setMany(
          new Map([
            [keyOf(second), { at: begin, value: { source: "coingecko", candles: [[begin, 1, 0.5, 2, 1]] } }],
            [keyOf(third), { at: begin, value: { source: "coingecko", candles: [] } }]
          ]),
          day
        )
      ),
      shared
    )
    const silent = yield* opened(market(), shared)
    assert.deepStrictEqual(silent.loaded(everySeries).map(keyOf), [first].map(keyOf))
    const own = market()
    const charts = yield* running(own, shared)
    yield* pass(0)
    assert.strictEqual(own.calls.length, 21)
    assert.isTrue(charts.loaded(everySeries).every(({ at }) => at === begin))
  })
})
