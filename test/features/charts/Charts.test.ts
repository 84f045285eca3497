import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { everySeries } from "../../../src/features/charts/Series.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { priorities } from "../../../src/upstream/Priority.ts"
import {
  begin,
  candles,
  day,
  down,
  hour,
  market,
  minute,
  opened,
  running,
  testOnSimulatedClock
} from "../../support/charting.ts"

const all = everySeries.map(({ coin, period }) => `coingecko ${coin} ${period}`)
const ofPeriod = (period: string) => all.filter((call) => call.endsWith(` ${period}`))
const bitcoin = { coin: "bitcoin", period: "1" } as const

/** Charts after the first refresh, which runs at start. */
const started = (
  pass: (milliseconds: number) => Effect.Effect<void>,
  own = market(),
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const charts = yield* running(own, Memory.layer(), environment)
    yield* pass(0)
    return { charts, ...own }
  })

describe("the refresh of the charts", () => {
  testOnSimulatedClock("loads every series at start, short periods first, at the lowest priority", function* (pass) {
    const { calls, charts, seen } = yield* started(pass)
    assert.strictEqual(all.length, 21)
    assert.deepStrictEqual(calls, all)
    assert.strictEqual(calls[0], "coingecko bitcoin 1")
    assert.strictEqual(calls[20], "coingecko dogecoin 365")
    assert.deepStrictEqual([...seen], [priorities.chartRefresh])
    assert.deepStrictEqual(
      charts
        .loaded(everySeries)
        .map(({ at, candles: { length }, coin, period, source }) => [coin, period, length, source, at]),
      everySeries.map(({ coin, period }) => [
        coin,
        period,
        { "1": 48, "30": 180, "365": 92 }[period],
        "coingecko",
        begin
      ])
    )
  })

  testOnSimulatedClock("makes 112 calls per day, fewer for the long periods", function* (pass) {
    const { calls, times } = yield* started(pass)
    calls.length = 0
    times.length = 0
    yield* pass(day)
    const expected = Array.from({ length: 12 }, (_, index) => {
      const hours = 2 * (index + 1)
      return [
        ...ofPeriod("1"),
        ...(hours % 8 === 0 ? ofPeriod("30") : []),
        ...(hours % 24 === 0 ? ofPeriod("365") : [])
      ].map((call) => `${hours} h: ${call}`)
    }).flat()
    assert.deepStrictEqual(
      calls.map((call, index) => `${((times[index] ?? 0) - begin) / hour} h: ${call}`),
      expected
    )
    assert.strictEqual(calls.length, 112)
    assert.isBelow(calls.length * 31, 10_000 / 2)
  })

  testOnSimulatedClock("runs more often with a pro key, and at the configured interval", function* (pass) {
    const pro = yield* started(pass, market("pro"))
    yield* pass(hour)
    assert.deepStrictEqual(pro.calls.slice(21), [...ofPeriod("1"), ...ofPeriod("1")])
    const set = yield* started(pass, market("demo"), { OHLC_REFRESH_MS: String(10 * minute) })
    yield* pass(39 * minute)
    assert.deepStrictEqual(set.calls.slice(21), [...ofPeriod("1"), ...ofPeriod("1"), ...ofPeriod("1")])
  })

  testOnSimulatedClock("makes no call when it is switched off, and requests do not wait", function* (pass) {
    const { calls, charts } = yield* started(pass, market(), { OHLC_REFRESH_MS: "0" })
    yield* pass(3 * hour)
    assert.deepStrictEqual(calls, [])
    const { missing, series } = yield* charts.read([bitcoin])
    assert.deepStrictEqual([series, missing[0]?.message], [[], "fetching is switched off"])
  })

  testOnSimulatedClock(
    "queries the exchange while the circuit of the market data provider is open or its budget is used up",
    function* (pass) {
      const own = market()
      own.state.ready = false
      const { calls, charts } = yield* started(pass, own)
      assert.strictEqual(calls.length, 21)
      assert.deepStrictEqual(
        [calls[0], calls[7], calls[14]],
        ["binance bitcoin 30m x 48", "binance bitcoin 4h x 180", "binance bitcoin 1d x 368"]
      )
      assert.deepStrictEqual(
        new Set(
          charts.loaded(everySeries).map(({ candles: { length }, period, source }) => `${period} ${length} ${source}`)
        ),
        new Set(["1 48 binance", "30 180 binance", "365 92 binance"])
      )
      own.state.ready = true
      calls.length = 0
      yield* pass(2 * hour)
      assert.deepStrictEqual(calls, ofPeriod("1"))
    }
  )

  testOnSimulatedClock("queries the other source when one fails, returns unusable data or throws", function* (pass) {
    const own = market()
    const wrong: ReadonlyArray<typeof own.state.coingecko> = [
      () => down("coingecko", "rate_limited"),
      () => Effect.succeed([]),
      (_, __, now) => Effect.succeed(candles("30", now)),
      (_, __, now) => Effect.succeed(candles("1", now).toReversed()),
      () => Effect.die("internal error"),
      () => Effect.never
    ]
    let call = 0
    own.state.coingecko = (...args) => (wrong[call++] ?? wrong[0])?.(...args) ?? Effect.never
    const { calls, charts } = yield* started(pass, own)
    yield* pass(2 * minute)
    assert.deepStrictEqual(calls.slice(0, 4), [
      "coingecko bitcoin 1",
      "binance bitcoin 30m x 48",
      "coingecko ethereum 1",
      "binance ethereum 30m x 48"
    ])
    assert.strictEqual(calls.length, 42)
    assert.isTrue(charts.loaded(everySeries).every(({ source }) => source === "binance"))
  })

  testOnSimulatedClock("backs off exponentially when both sources fail, and keeps the old series", function* (pass) {
    const own = market()
    const { calls, charts, times } = yield* started(pass, own)
    const [before] = charts.loaded([bitcoin])
    const failing = (coin: string) => coin === "bitcoin"
    own.state.coingecko = (coin, period, now) =>
      failing(coin) ? down("coingecko") : Effect.succeed(candles(period as "1", now))
    own.state.binance = () => down("binance")
    calls.length = 0
    times.length = 0
    yield* pass(7 * hour + 59 * minute)
    const tries = times.filter((_, index) => calls[index] === "coingecko bitcoin 1")
    assert.deepStrictEqual(
      tries.map((time) => (time - begin) / minute),
      [120, 121, 123, 127, 135, 151, 183, 247, 367]
    )
    assert.strictEqual(calls.filter((call) => call.startsWith("binance")).length, tries.length)
    assert.strictEqual(calls.filter((call) => call === "coingecko ethereum 1").length, 3)
    assert.strictEqual(charts.loaded([bitcoin])[0], before)
    own.state.coingecko = (_, period, now) => Effect.succeed(candles(period as "1", now))
    yield* pass(9 * minute)
    assert.strictEqual(charts.loaded([bitcoin])[0]?.at, begin + 8 * hour + 7 * minute)
  })

  testOnSimulatedClock(
    "replaces a complete series with a partial one only if it is outdated and half of its candles are present",
    function* (pass) {
      const own = market()
      const { charts } = yield* started(pass, own)
      const [before] = charts.loaded([bitcoin])
      own.state.coingecko = (_, period, now) => Effect.succeed(candles(period as "1", now, period === "1" ? 30 : 180))
      own.state.binance = () => down("binance")
      // The newest candle ends 30 minutes after the start, and is valid for two refresh intervals plus one candle.
      yield* pass(5 * hour - minute)
      assert.strictEqual(charts.loaded([bitcoin])[0], before)
      yield* pass(2 * hour)
      const [after] = charts.loaded([bitcoin])
      assert.strictEqual(after?.candles.length, 30)
      assert.isAbove(after?.at ?? 0, begin + 5 * hour)
    }
  )
})

describe("reading a chart", () => {
  testOnSimulatedClock(
    "waits for the first attempt, then reports why the chart is missing and when to retry",
    function* (pass) {
      const own = market()
      own.state.coingecko = (coin, period, now) =>
        Effect.delay(coin === "bitcoin" ? down("coingecko") : Effect.succeed(candles(period as "1", now)), "1 second")
      own.state.binance = () => down("binance")
      const charts = yield* running(own, Memory.layer())
      const wanted = [bitcoin, { coin: "ethereum", period: "1" }] as const
      const reading = yield* Effect.fork(charts.read(wanted))
      yield* pass(1_000)
      assert.isNull(reading.unsafePoll())
      yield* pass(1_000)
      const { missing, series } = yield* Fiber.join(reading)
      assert.deepStrictEqual(
        series.map(({ coin }) => coin),
        ["ethereum"]
      )
      assert.deepStrictEqual(missing, [{ ...bitcoin, message: "binance: is down", retryAfter: 59 }])
    }
  )

  testOnSimulatedClock("stops waiting before the deadline of the request", function* (pass) {
    const own = market()
    own.state.coingecko = () => Effect.never
    const { charts } = yield* started(pass, own)
    const reading = yield* Effect.fork(charts.read([bitcoin]))
    yield* pass(13_949)
    assert.isNull(reading.unsafePoll())
    yield* pass(1)
    const { missing } = yield* Fiber.join(reading)
    assert.deepStrictEqual(missing, [{ ...bitcoin, message: "it has not been fetched yet", retryAfter: 5 }])
  })

  testOnSimulatedClock("makes no call to a source", function* (pass) {
    const own = market()
    const charts = yield* opened(own, Memory.layer())
    const reading = yield* Effect.fork(charts.read(everySeries))
    yield* pass(hour)
    assert.strictEqual((yield* Fiber.join(reading)).missing.length, 21)
    assert.deepStrictEqual(own.calls, [])
  })
})
