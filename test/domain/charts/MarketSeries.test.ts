import { assert, describe, it } from "@effect/vitest"
import { type MarketSeries, type RawSeries, validSeries } from "../../../src/domain/charts/MarketSeries.ts"
import { type Exchange, fixture, recorded, sample } from "../../support/fixtures.ts"

const now = Date.UTC(2026, 10, 1)
const hour = 3_600_000

const raw = (more: Partial<RawSeries> = {}): RawSeries => ({
  prices: [
    [now - hour, 2],
    [now, 3]
  ],
  marketCaps: [],
  volumes: [],
  ...more
})

const good = (series: MarketSeries | string): MarketSeries => {
  if (typeof series === "string") throw new Error(series)
  return series
}

describe("cleaning a series", () => {
  it("drops values that are not numbers, non-positive prices and duplicate times, and sorts by time", () => {
    const series = validSeries(
      raw({
        prices: [
          [now, 3],
          [now - hour, 1.39852e-10],
          [now - hour, 5],
          [now - 2 * hour, null],
          [now - 3 * hour, Number.NaN],
          [now - 4 * hour, Number.POSITIVE_INFINITY],
          [now - 5 * hour, 0],
          [now - 6 * hour, -1],
          [Number.NaN, 4],
          [now - 7 * hour, 4]
        ]
      }),
      1,
      now
    )
    assert.deepStrictEqual(good(series).prices, [
      [now - 7 * hour, 4],
      [now - hour, 1.39852e-10],
      [now, 3]
    ])
  })

  it("keeps a volume of zero, and drops a market cap of zero as unknown", () => {
    const points = [
      [now - hour, 0],
      [now, 5]
    ] as const
    const { marketCaps, volumes } = good(
      validSeries(raw({ marketCaps: points, volumes: [...points, [now - 2, -1]] }), 7, now)
    )
    assert.deepStrictEqual(marketCaps, [[now, 5]])
    assert.deepStrictEqual(volumes, points)
  })

  it("drops points before the requested period and in the future", () => {
    const prices = [
      [now - 4 * 24 * hour, 1],
      [now - 24 * hour, 2],
      [now, 3],
      [now + hour, 4]
    ] as const
    assert.deepStrictEqual(good(validSeries(raw({ prices }), 1, now)).prices, prices.slice(1, 3))
  })

  it("rejects a series without a valid price, whatever else it contains", () => {
    for (const prices of [[], [[now, null]], [[now, 0]]] as const)
      assert.strictEqual(
        validSeries(raw({ prices, marketCaps: [[now, 5]] }), 1, now),
        "returned no prices for this period"
      )
    // Seconds instead of milliseconds.
    assert.isString(validSeries(raw({ prices: [[now / 1000, 5]] }), 365, now))
  })

  it("rejects a series that ends too long ago for the step of its period", () => {
    for (const [days, oldest] of [
      [1, 70 * 60_000],
      [7, 3 * hour],
      [30, 3 * hour],
      [365, 49 * hour]
    ] as const) {
      assert.isObject(validSeries(raw({ prices: [[now - oldest, 5]] }), days, now))
      const late = validSeries(raw({ prices: [[now - oldest - 1, 5]] }), days, now)
      assert.strictEqual(late, "returned outdated prices")
    }
  })
})

const seriesIn = ({ response }: Exchange): RawSeries => {
  const { prices, market_caps, total_volumes } = response.body as Readonly<
    Record<"prices" | "market_caps" | "total_volumes", RawSeries["prices"]>
  >
  return { prices, marketCaps: market_caps, volumes: total_volumes }
}

const newest = ({ prices }: RawSeries) => Math.max(...prices.map(([at]) => at))

describe("a series from CoinGecko", () => {
  it("of one day keeps its irregular times and all digits, and is sorted if the last point is older than the previous", () => {
    const series = seriesIn(sample("coingecko", "market-chart-day"))
    assert.deepStrictEqual(validSeries(series, 1, newest(series) + 60_000), {
      prices: [
        [1793350812345, 41519.40718128361],
        [1793351109870, 41502.1],
        [1793351433001, 41488],
        [1793437200000, 41207],
        [1793437200611, 41207.25]
      ],
      // The market cap of null is dropped.
      marketCaps: [
        [1793350812345, 821000000000.5],
        [1793351433001, 820100000000],
        [1793437200000, 815300417902],
        [1793437200611, 815300417902]
      ],
      volumes: [
        [1793350812345, 30100200300],
        [1793351109870, 30100200301.25],
        [1793351433001, 0],
        [1793437200000, 29000000000],
        [1793437200611, 29000000001]
      ]
    })
  })

  it("of daily points is unchanged, with a last point at the current time instead of midnight", () => {
    const series = seriesIn(sample("coingecko", "market-chart-daily"))
    const kept = good(validSeries(series, 365, newest(series) + 60_000))
    assert.deepStrictEqual(kept, series)
    assert.deepStrictEqual(kept.prices.at(-1), [1793437200000, 41207.25])
    const [before, last] = kept.prices.slice(-2).map(([at]) => Math.floor(at / (24 * hour)))
    assert.strictEqual(before, last)
  })
})

recorded("a recorded series", () => {
  const read = (name: string) => seriesIn(fixture("coingecko", name))

  it("of one day keeps its irregular times and all digits, and is sorted if the last point is older than the previous", () => {
    const series = read("market-chart-1-day")
    const kept = good(validSeries(series, 1, newest(series) + 60_000))
    assert.deepStrictEqual(
      series.prices.slice(-2).map(([at]) => at),
      [1621089594955, 1621089594000]
    )
    assert.deepEqual<unknown>(kept.prices, [...series.prices.slice(0, -2), ...series.prices.slice(-2).reverse()])
    assert.deepStrictEqual(kept.prices[0], [1621003519770, 50675.258073370765])
    assert.deepStrictEqual([kept.marketCaps.length, kept.volumes.length], [kept.prices.length, kept.prices.length])
    const rhythm = new Set(kept.prices.slice(1).map(([at], index) => at - (kept.prices[index]?.[0] ?? 0)))
    assert.isAbove(rhythm.size, 20)
  })

  it("of daily points is unchanged, with a last point at the current time instead of midnight", () => {
    const series = read("market-chart-90-days-daily")
    const kept = good(validSeries(series, 365, newest(series) + 60_000))
    assert.deepStrictEqual(kept, series)
    const [before, last] = kept.prices.slice(-2).map(([at]) => Math.floor(at / (24 * hour)))
    assert.strictEqual(before, last)
  })
})
