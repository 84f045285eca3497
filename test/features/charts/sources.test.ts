import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as ChartSource from "../../../src/features/charts/ChartSource.ts"
import { Charts, unusable } from "../../../src/features/charts/Charts.ts"
import { everySeries } from "../../../src/features/charts/Series.ts"
import { Binance } from "../../../src/providers/Binance.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { begin, candles, day, hour, klines, minute } from "../../support/charting.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { byHost, json, type Reply, refused, simulatedClient } from "../../support/http.ts"
import { run, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const bitcoin = (period: "1" | "30" | "365") => ({ coin: "bitcoin", period }) as const

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

/** Returns the candles of the response, the steps between them in hours, and why they are unusable as a chart. */
const candlesOf = Effect.fnUntraced(function* (exchange: Exchange, period: "30" | "365") {
  const now = Date.parse(exchange.response.headers.date ?? "")
  yield* TestClock.setTime(now)
  const outside = simulatedClient(() => replay(exchange))
  const source = yield* Effect.provide(
    ChartSource.coinGecko,
    Layer.provide(CoinGecko.layer, upstreamDependencies(outside))
  )
  const returned = yield* source.series(bitcoin(period))
  assert.strictEqual(outside.requests[0]?.url.pathname, exchange.request.path)
  assert.strictEqual(outside.requests[0]?.url.searchParams.get("days"), period)
  assert.deepStrictEqual(returned, exchange.response.body as typeof returned)
  // Times are the ends of the candles: the last one is in the future.
  const [end = 0] = returned.at(-1) ?? []
  assert.isAbove(end, now)
  // The open of a candle often differs from the close of the previous one.
  assert.isTrue(returned.some(([, open], index) => index > 0 && open !== returned[index - 1]?.[4]))
  const steps = new Set(returned.slice(1).map(([end], index) => (end - (returned[index]?.[0] ?? 0)) / hour))
  return { returned, fault: unusable(returned, period, now), steps: [...steps].sort() }
})

const failure = Effect.fnUntraced(function* (exchange: Exchange) {
  const outside = simulatedClient(() => replay(exchange))
  const source = yield* Effect.provide(
    ChartSource.coinGecko,
    Layer.provide(CoinGecko.layer, upstreamDependencies(outside))
  )
  const result = yield* run(source.series(bitcoin("1")))
  assert.strictEqual(Either.isLeft(result) ? result.left.reason : "", "upstream_error")
  // A repeated request fails again, so retries are limited.
  assert.isAtMost(outside.requests.length, 3)
})

/** Binance dates a kline by its open time. The candle ends after its length, here the requested half hour. */
const klinesOf = Effect.fnUntraced(function* (exchange: Exchange, now: number) {
  yield* TestClock.setTime(now)
  const outside = simulatedClient(byHost(binanceReplies(exchange.response.body, now)))
  const binance = Layer.provide(Binance.layer, upstreamDependencies(outside))
  const source = yield* Effect.provide(ChartSource.binance, binance)
  const returned = yield* source.series(bitcoin("1"))
  const sent = outside.requests.find(({ url }) => url.pathname.endsWith("/klines"))
  assert.strictEqual(sent?.url.search, "?symbol=BTCUSDT&interval=30m&limit=48")
  return returned
})

describe("candle responses", () => {
  for (const [name, period, steps] of [
    ["candles-year", "365", [168, 24, 72, 96]],
    ["candles-hours", "30", [4]]
  ] as const)
    it(`of CoinGecko are returned unchanged, and are unusable as a chart if too short: ${name}`, function* () {
      const returned = yield* candlesOf(sample("coingecko", name), period)
      assert.deepStrictEqual(returned.steps, [...steps])
      assert.match(returned.fault ?? "", /only a part of the period/)
    })

  it.scoped("of CoinGecko with a server error are retried a limited number of times", () =>
    failure(sample("coingecko", "failure-500"))
  )

  it("of Binance are dated by the end of each candle", function* () {
    assert.deepStrictEqual(yield* klinesOf(sample("binance", "klines"), 1_793_437_000_000), [
      [1793435400000, 61300.1, 61342.5, 61180, 61199.99],
      [1793437200000, 61200, 61260, 61120.75, 61250.73]
    ])
  })
})

recorded("recorded candle responses", () => {
  for (const [name, period, length] of [
    ["ohlc-365-days", "365", 96],
    ["ohlc-7-days", "30", 42]
  ] as const)
    it(`coingecko/${name}`, function* () {
      const { fault, steps, returned } = yield* candlesOf(fixture("coingecko", name), period)
      assert.strictEqual(returned.length, length)
      // Steps of 1, 3 and 7 days between those of 4 days are accepted; a week of candles is too short for a month.
      if (name === "ohlc-365-days") assert.isUndefined(fault)
      else assert.match(fault ?? "", /only a part of the period/)
      assert.deepStrictEqual(steps, name === "ohlc-365-days" ? [168, 24, 72, 96] : [4])
    })

  it.scoped("coingecko/ohlc-missing-params-500", () => failure(fixture("coingecko", "ohlc-missing-params-500")))

  it("binance/klines-1h", function* () {
    const exchange = fixture("binance", "klines-1h")
    const [[opensAt]] = exchange.response.body as [[number, string, string, string, string, string, number]]
    assert.deepStrictEqual(yield* klinesOf(exchange, opensAt + 20 * minute), [
      [opensAt + 30 * minute, 73249.24, 73394.3, 73234.62, 73347.62]
    ])
  })
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
