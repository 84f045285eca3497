import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../../src/domain/CoinId.ts"
import { MarketCharts } from "../../../../src/features/prices/MarketCharts.ts"
import { assert, type Body, describe, effectOf, it } from "../../../support/vitest.ts"
import { charting, down, sources } from "../charting.ts"

const bitcoin = CoinId.make("bitcoin")
const day = 86_400_000

/** Monday at noon, UTC. */
const now = Date.UTC(2026, 10, 2, 12)

const test = (
  name: string,
  body: (charts: typeof MarketCharts.Service.charts, outside: ReturnType<typeof sources>) => Body
) =>
  it.effect(name, () => {
    const outside = sources()
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { charts } = yield* MarketCharts
      yield* effectOf(body(charts, outside))
    }).pipe(Effect.provide(charting(outside)))
  })

/** Uses only DefiLlama, with a price of one dollar at each of these times. */
const onlyPrices = ({ behaviour }: ReturnType<typeof sources>, ...times: ReadonlyArray<number>) => {
  behaviour.series = () => down("coingecko")
  behaviour.chart = () => Effect.succeed(Option.some(times.map((at) => ({ at, price: 1 }))))
}

describe("charts in a currency", () => {
  test("are requested in that currency, and cached separately from those in dollars", function* (charts, {
    requested
  }) {
    yield* charts([bitcoin], 7, "eur")
    yield* charts([bitcoin], 7)
    yield* charts([bitcoin], 7, "eur")
    assert.deepStrictEqual(requested, ["coingecko bitcoin 7 eur", "coingecko bitcoin 7"])
  })

  test("are converted from dollars at the rate of each day or of the last working day before it, if the provider fails", function* (charts, outside) {
    const midnight = now - day / 2
    outside.behaviour.since = () =>
      Effect.succeed([
        { at: midnight - 4 * day, perUsd: { eur: 0.8 } },
        { at: midnight - 3 * day, perUsd: { eur: 0.9 } }
      ])
    onlyPrices(outside, midnight - 4 * day - 1, midnight - 3 * day - 1, midnight - 3 * day, midnight - day, now)
    const { found, pricesOnly } = yield* charts([bitcoin], 7, "eur")
    // The first point is older than every rate, and is omitted.
    assert.deepStrictEqual(
      found.get(bitcoin)?.prices.map(([, price]) => price),
      [0.8, 0.9, 0.9, 0.9]
    )
    assert.isTrue(pricesOnly.has(bitcoin))
  })

  test("fail instead of using the current rate", function* (charts, outside) {
    onlyPrices(outside, now)
    outside.behaviour.since = () => Effect.succeed([{ at: now - 30 * day, perUsd: { chf: 0.8 } }])
    for (const currency of ["chf", "vnd", "btc", "xau"] as const) {
      const { failed, found } = yield* charts([bitcoin], 7, currency)
      assert.deepStrictEqual([found.size, failed.size], [0, 1], currency)
    }
  })
})
