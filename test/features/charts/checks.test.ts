import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { type Candles, candleFault, chartPeriods } from "../../../src/domain/charts/Ohlc.ts"
import { reasonToKeep, unusable } from "../../../src/features/charts/Charts.ts"
import { shapes } from "../../../src/features/charts/Series.ts"
import { begin, candles, day, hour } from "../../support/charting.ts"

const price = FastCheck.double({ min: 1e-12, max: 1e12, noNaN: true })

/** Valid candles. */
const good: FastCheck.Arbitrary<Candles> = FastCheck.array(
  FastCheck.tuple(FastCheck.integer({ min: 1, max: 1e9 }), FastCheck.tuple(price, price, price, price)),
  { minLength: 1, maxLength: 50 }
).map((rows) => {
  let end = 0
  return rows.map(([step, prices]) => {
    end += step
    const sorted = prices.toSorted((a, b) => a - b)
    return [end, sorted[1] ?? 1, sorted[3] ?? 1, sorted[0] ?? 1, sorted[2] ?? 1] as const
  })
})

const period = FastCheck.constantFrom(...chartPeriods)
const time = FastCheck.integer({ min: begin, max: begin + 400 * day })

/** Returns the candles with one of them changed. */
const withOneChanged = (
  series: ReadonlyArray<ReadonlyArray<number>>,
  at: number,
  change: (candle: ReadonlyArray<number>) => ReadonlyArray<number>
) => {
  const index = at % series.length
  return series.map((candle, sery) => (sery === index ? change(candle) : candle))
}

const position = FastCheck.nat(1000)

describe("candles", () => {
  it.prop("are accepted if each of them is valid", [good], ([series]) => {
    assert.isUndefined(candleFault(series))
  })

  it.prop(
    "are all rejected if one of them is not five finite positive numbers",
    [good, position, FastCheck.nat(4), FastCheck.constantFrom(Number.NaN, Infinity, -Infinity, 0, -0, -1)],
    ([series, at, column, bad]) => {
      const values = withOneChanged(series, at, (candle) =>
        candle.map((value, index) => (index === column ? bad : value))
      )
      assert.match(candleFault(values) ?? "", /not five positive numbers/)
      for (const rows of [
        (candle: ReadonlyArray<number>) => candle.slice(1),
        (candle: ReadonlyArray<number>) => [...candle, 1]
      ])
        assert.match(candleFault(withOneChanged(series, at, rows)) ?? "", /not five positive numbers/)
    }
  )

  it.prop("are rejected if two of them are not in chronological order", [good, position], ([series, at]) => {
    const twice = series.flatMap((candle, index) => (index === at % series.length ? [candle, candle] : [candle]))
    assert.match(candleFault(twice) ?? "", /order of time/)
    if (series.length > 1) assert.match(candleFault(series.toReversed()) ?? "", /order of time/)
  })

  it.prop(
    "are rejected if a high is below, or a low above, another price of its candle",
    [good, position, FastCheck.double({ min: 0.01, max: 0.99, noNaN: true })],
    ([series, at, share]) => {
      const high = withOneChanged(series, at, ([end = 0, open = 0, , low = 0, close = 0]) => [
        end,
        open,
        Math.max(open, close) * share,
        low * share,
        close
      ])
      const low = withOneChanged(series, at, ([end = 0, open = 0, high = 0, , close = 0]) => [
        end,
        open,
        high / share,
        Math.min(open, close) / share,
        close
      ])
      for (const values of [high, low]) assert.match(candleFault(values) ?? "", /outside of its high and low/)
    }
  )

  it("are rejected if the list is empty", () => {
    assert.match(candleFault([]) ?? "", /no candles/)
  })
})

describe("a response", () => {
  it.prop("is usable if its candles have the requested period and are current", [period, time], ([period, now]) => {
    assert.isUndefined(unusable(candles(period, now), period, now))
    // The running candle may be missing.
    assert.isUndefined(unusable(candles(period, now).slice(0, -1), period, now))
  })

  it.prop("is unusable if its candles have another period", [period, period, time], ([requested, returned, now]) => {
    if (requested !== returned) assert.isString(unusable(candles(returned, now), requested, now))
  })

  it.prop("is unusable if its candles are from the future or outdated", [period, time], ([period, now]) => {
    const { candle } = shapes[period]
    const series = candles(period, now)
    // A chart may lag by a quarter of its period, at most a day: half of a one-day chart says nothing about the day.
    const delay = period === "1" ? 6 * hour : day
    assert.match(unusable(series, period, now - 2 * candle) ?? "", /in the future/)
    assert.isUndefined(unusable(series, period, now + 2 * candle + delay))
    assert.match(unusable(series, period, now + 5 * candle + delay) ?? "", /outdated/)
  })

  it.prop("is unusable if one candle is invalid", [period, time, position], ([period, now, at]) => {
    const values = withOneChanged(candles(period, now), at, ([end = 0, ...prices]) => [
      end,
      ...prices.slice(0, 3),
      Number.NaN
    ])
    assert.match(unusable(values as unknown as Candles, period, now) ?? "", /five positive numbers/)
  })
})

describe("a current series", () => {
  const current = (period: (typeof chartPeriods)[number], count?: number) => ({
    coin: "bitcoin" as const,
    period,
    candles: candles(period, begin, count),
    source: "coingecko",
    at: begin
  })
  const every = 2 * hour
  const received = (...args: Parameters<typeof candles>) => ({ candles: candles(...args), source: "coingecko" })

  it.prop("is never replaced by a part of it while it is current", [period, FastCheck.nat(1000)], ([period, more]) => {
    const before = current(period)
    const count = 1 + (more % Math.floor(0.94 * before.candles.length))
    const { candle } = shapes[period]
    const latest = (before.candles.at(-1)?.[0] ?? 0) + 2 * every + candle
    for (const now of [begin, begin + every, latest])
      assert.match(reasonToKeep(received(period, now, count), before, every, now) ?? "", /fewer candles/)
    const delay = reasonToKeep(received(period, latest + 1, count), before, every, latest + 1)
    assert.strictEqual(delay === undefined, 2 * count >= before.candles.length)
  })

  it.prop("is replaced by a complete series, with one candle more or less", [period, time], ([period, now]) => {
    const { length } = candles(period, now)
    for (const count of [length - 1, length, length + 1])
      assert.isUndefined(reasonToKeep(received(period, now, count), current(period, length + 1), every, now))
  })

  it.prop("is replaced by a partial series of the same or a greater length", [period], ([period]) => {
    const length = Math.ceil(0.6 * candles(period, begin).length)
    for (const count of [length, length + 1])
      assert.isUndefined(
        reasonToKeep(received(period, begin + every, count), current(period, length), every, begin + every)
      )
  })

  it.prop("is replaced if its candles are from the future", [period], ([period]) => {
    const now = begin - 100 * day
    assert.isUndefined(reasonToKeep(received(period, now, 3), current(period), every, now))
  })

  it.prop("is never replaced by older candles", [period], ([period]) => {
    const { candle } = shapes[period]
    for (const source of ["coingecko", "binance"]) {
      const older = { ...received(period, begin - candle), source }
      assert.match(reasonToKeep(older, current(period), every, begin + day) ?? "", /older/)
    }
  })

  it.prop(
    "is replaced by a series of another source whose running candle ends a little earlier",
    [period],
    ([period]) => {
      const { candle } = shapes[period]
      const earlier = candles(period, begin).map(([end, ...prices]) => [end - candle + 1, ...prices] as const)
      const now = begin + every
      assert.isUndefined(reasonToKeep({ candles: earlier, source: "binance" }, current(period), every, now))
      assert.match(reasonToKeep({ candles: earlier, source: "coingecko" }, current(period), every, now) ?? "", /older/)
    }
  )
})
