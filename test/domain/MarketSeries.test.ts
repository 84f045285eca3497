import { assert, describe, it } from "@effect/vitest"
import { cleaned, type MarketSeries, type RawSeries } from "../../src/domain/MarketSeries.ts"
import { type Exchange, fixture, recorded, sample } from "../support/fixtures.ts"

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

describe("the cleaning of a series", () => {
  it("drops what is no number, prices that are not above zero, and what stands twice; and puts times in order", () => {
    const series = cleaned(
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

  it("keeps a volume of zero, and takes a capitalisation of zero for one that is not known", () => {
    const points = [
      [now - hour, 0],
      [now, 5]
    ] as const
    const { marketCaps, volumes } = good(
      cleaned(raw({ marketCaps: points, volumes: [...points, [now - 2, -1]] }), 7, now)
    )
    assert.deepStrictEqual(marketCaps, [[now, 5]])
    assert.deepStrictEqual(volumes, points)
  })

  it("drops what lies before the days asked for, or in the time to come", () => {
    const prices = [
      [now - 4 * 24 * hour, 1],
      [now - 24 * hour, 2],
      [now, 3],
      [now + hour, 4]
    ] as const
    assert.deepStrictEqual(good(cleaned(raw({ prices }), 1, now)).prices, prices.slice(1, 3))
  })

  it("takes a series without any usable price for no answer, whatever else it holds", () => {
    for (const prices of [[], [[now, null]], [[now, 0]]] as const)
      assert.strictEqual(cleaned(raw({ prices, marketCaps: [[now, 5]] }), 1, now), "returned no prices for this period")
    // Seconds, where milliseconds were to come.
    assert.isString(cleaned(raw({ prices: [[now / 1000, 5]] }), 365, now))
  })

  it("takes a series that ends long before now for no answer, by the steps of its period", () => {
    for (const [days, oldest] of [
      [1, 70 * 60_000],
      [7, 3 * hour],
      [30, 3 * hour],
      [365, 49 * hour]
    ] as const) {
      assert.isObject(cleaned(raw({ prices: [[now - oldest, 5]] }), days, now))
      const late = cleaned(raw({ prices: [[now - oldest - 1, 5]] }), days, now)
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

describe("series as the provider answers them", () => {
  it("of a day keep their own rhythm and all digits; a last point that is older than the one before goes before it", () => {
    const series = seriesIn(sample("coingecko", "market-chart-day"))
    assert.deepStrictEqual(cleaned(series, 1, newest(series) + 60_000), {
      prices: [
        [1793350812345, 41519.40718128361],
        [1793351109870, 41502.1],
        [1793351433001, 41488],
        [1793437200000, 41207],
        [1793437200611, 41207.25]
      ],
      // A capitalisation of null is no point of it.
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

  it("of days stay as they are, with a last point that is of now and no midnight", () => {
    const series = seriesIn(sample("coingecko", "market-chart-daily"))
    const kept = good(cleaned(series, 365, newest(series) + 60_000))
    assert.deepStrictEqual(kept, series)
    assert.deepStrictEqual(kept.prices.at(-1), [1793437200000, 41207.25])
    const [before, last] = kept.prices.slice(-2).map(([at]) => Math.floor(at / (24 * hour)))
    assert.strictEqual(before, last)
  })
})

recorded("recorded series", () => {
  const read = (name: string) => seriesIn(fixture("coingecko", name))

  it("a day keeps its own rhythm and all digits; its last point, of now, may be older than the one before", () => {
    const series = read("market-chart-1-day")
    const kept = good(cleaned(series, 1, newest(series) + 60_000))
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

  it("a daily series stays as it is, with its last point, which is of now and no midnight", () => {
    const series = read("market-chart-90-days-daily")
    const kept = good(cleaned(series, 365, newest(series) + 60_000))
    assert.deepStrictEqual(kept, series)
    const [before, last] = kept.prices.slice(-2).map(([at]) => Math.floor(at / (24 * hour)))
    assert.strictEqual(before, last)
  })
})
