import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as ChartSource from "../../../src/features/charts/ChartSource.ts"
import { Charts, unusable } from "../../../src/features/charts/Charts.ts"
import { everySeries } from "../../../src/features/charts/Series.ts"
import { Binance } from "../../../src/providers/Binance.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { begin, candles, day, hour, klines, minute } from "../../support/charting.ts"
import { byHost, json, type Reply, refused, simulatedClient } from "../../support/http.ts"
import { upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const binanceReplies = (row: unknown, now: number) => ({
  "api.binance.com": ({ url }: { readonly url: URL }): Reply =>
    url.pathname.endsWith("/klines")
      ? json(row)
      : json([
          {
            symbol: "USDCUSDT",
            lastPrice: "1.0001",
            priceChange: "0",
            priceChangePercent: "0",
            closeTime: now,
            count: 5
          }
        ])
})

describe("candles of an exchange", () => {
  it("end one length after their open, as CoinGecko's do, the running candle in the future", () => {
    const now = begin + 10 * minute
    const joined = ChartSource.joined(klines(hour / 2, now, 48), hour / 2)
    assert.deepStrictEqual(
      joined.map(([end]) => end),
      candles("1", now).map(([end]) => end)
    )
    assert.isAbove(joined.at(-1)?.[0] ?? 0, now)
  })

  it("of one day are joined into candles of four days, without an incomplete first candle", () => {
    for (let today = 0; today < 8; today++) {
      const now = begin + today * day
      const days = klines(day, now, 368)
      const joined = ChartSource.joined(days, 4 * day)
      assert.strictEqual(joined.length, 92)
      assert.isUndefined(unusable(joined, "365", now))
      const [end, open, high, low, close] = joined[5] ?? []
      const four = days.filter(({ opensAt }) => opensAt >= (end ?? 0) - 4 * day && opensAt < (end ?? 0))
      assert.strictEqual(four.length, 4)
      assert.deepStrictEqual(
        [open, high, low, close],
        [
          four[0]?.open,
          Math.max(...four.map(({ high }) => high)),
          Math.min(...four.map(({ low }) => low)),
          four[3]?.close
        ]
      )
      // A finished candle is the same on the next day.
      const next = ChartSource.joined(klines(day, now + day, 369), 4 * day).map(([end]) => end)
      for (const [end] of joined.slice(1)) assert.include(next, end)
    }
  })

  it("are empty if the exchange returns no klines", () => {
    assert.deepStrictEqual(ChartSource.joined([], day), [])
  })
})

describe("the charts from both upstreams", () => {
  const hosts = (now: number) => ({
    "api.coingecko.com": ({ url }: { readonly url: URL }): Reply => {
      const period = url.searchParams.get("days")
      return period === "1" || period === "30" || period === "365" ? json(candles(period, now)) : refused
    },
    "api.binance.com": (sent: { readonly url: URL }): Reply => {
      const { searchParams } = sent.url
      const lengths: Readonly<Record<string, number>> = { "30m": hour / 2, "4h": 4 * hour, "1d": day }
      const length = lengths[searchParams.get("interval") ?? ""] ?? day
      const rows = klines(length, now, Number(searchParams.get("limit")))
      const texts = rows.map(({ close, closesAt, high, low, open, opensAt }) => [
        opensAt,
        ...[open, high, low, close].map((value) => value.toFixed(8)),
        "0.1",
        closesAt,
        "0.1",
        5,
        "0.1",
        "0.1",
        "0"
      ])
      return binanceReplies(texts, now)["api.binance.com"](sent)
    }
  })

  const loaded = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
    yield* TestClock.setTime(begin)
    const outside = simulatedClient(byHost(hosts(begin)))
    const context = yield* Layer.build(
      Layer.fresh(Charts.layer).pipe(
        Layer.provide(Layer.mergeAll(CoinGecko.layer, Binance.layer)),
        Layer.provide(upstreamDependencies(outside, environment)),
        Layer.provide([Memory.layer(), upstreamDependencies(outside, environment)])
      )
    )
    const charts = yield* Effect.provide(Charts, context)
    yield* Effect.forkScoped(charts.keepFresh)
    yield* TestClock.adjust("3 minutes")
    return charts.loaded(everySeries)
  })

  it.scoped("all come from CoinGecko at its default rate", () =>
    Effect.map(loaded({}), (all) => {
      assert.strictEqual(all.length, 21)
      assert.deepStrictEqual([...new Set(all.map(({ source }) => source))], ["coingecko"])
    })
  )

  it.scoped("use half of CoinGecko's calls and then the exchange: the other half is reserved for prices", () =>
    // 10 calls of the monthly budget are available at once.
    Effect.map(loaded({ COINGECKO_PER_MONTH: "620" }), (all) => {
      assert.strictEqual(all.length, 21)
      assert.strictEqual(all.filter(({ source }) => source === "coingecko").length, 5)
      assert.strictEqual(all.filter(({ source }) => source === "binance").length, 16)
    })
  )
})
