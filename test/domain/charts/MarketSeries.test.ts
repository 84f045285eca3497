import { assert, describe, it } from "@effect/vitest"
import { type MarketSeries, type RawSeries, validSeries } from "../../../src/domain/charts/MarketSeries.ts"

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
