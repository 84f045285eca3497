import * as Effect from "effect/Effect"
import * as ChartSource from "../../src/features/charts/ChartSource.ts"
import { Binance, type KlineInterval } from "../../src/providers/Binance.ts"
import { type Exchange, replay } from "../support/fixtures.ts"
import { json, type SentRequest } from "../support/http.ts"
import {
  accepted,
  bitcoin,
  calling,
  canary,
  elsewhere,
  faultOf,
  ids,
  queryOf,
  recordingsIn,
  refusalReasons
} from "./readers/market.ts"
import { type Read, recordingsOf, row } from "./table.ts"

const now = 1_800_000_000_000
const read = calling(Binance.layer)

/** The ticker of the pair that checks the peg of tether. */
const peg = (at: number) => ({
  symbol: "USDCUSDT",
  lastPrice: "1.0001",
  priceChange: "0",
  priceChangePercent: "0",
  closeTime: at,
  count: 5
})

const tickers = Effect.flatMap(Binance, (source) => source.tickers(ids("bitcoin")))

const klines = (interval: KlineInterval, count: number) =>
  Effect.flatMap(Binance, (source) => source.klines(bitcoin, interval, count))

/** The recording as candles, after the ticker of the peg. */
const asCandles =
  (at = now) =>
  (recording: Exchange, { url }: SentRequest) =>
    url.pathname.endsWith("/klines") ? replay(recording) : json([peg(at)])

const candles = (count: number, expected: unknown) =>
  row(read(klines("30m", count), { reply: asCandles() }), expected, "candles with their start times")

/** The candles of a day at a time, with the query of the second request. */
const chart = (at: number, expected: unknown) =>
  row(
    read(
      Effect.flatMap(ChartSource.binance, ({ series }) => series({ coin: "bitcoin", period: "1" })),
      { now: at, reply: asCandles(at), requests: ({ url }) => url.pathname.endsWith("/klines") && url.search }
    ),
    [expected, false, "?symbol=BTCUSDT&interval=30m&limit=48"],
    "are dated by the end of each candle"
  )

const notTraded = row(read(faultOf(klines("1d", 1)), { reply: asCandles(), requests: ({ url }) => url.pathname }), [
  { reason: "upstream_error", detail: "does not trade this coin", final: true },
  "/api/v3/ticker/24hr",
  "/api/v3/klines"
])

const isHealthy = (expected: boolean) =>
  row(read(canary, { requests: ({ url }) => url.pathname }), [expected, "/api/v3/time"], "as a health check")

const asTickers = read(accepted(refusalReasons, tickers))
const asBoth: Read = (recording) =>
  Effect.map(
    Effect.all([
      asTickers(recording),
      read(accepted(refusalReasons, klines("1d", 1)), { reply: asCandles() })(recording)
    ] as ReadonlyArray<Effect.Effect<ReadonlyArray<unknown>>>),
    (outcomes) => outcomes.flat()
  )

// An empty list is a page after the last one, but also a pair without candles.
const empty = "coingecko/coins-markets-empty-page"

recordingsOf("binance", {
  samples: {
    tickers: row(
      read(tickers, { now: 1_793_437_501_000, requests: queryOf }),
      [[{ id: bitcoin, price: 61_250.73, change: -812.34, changePercent: -1.309, at: 1_793_437_500_123 }], true],
      "all numbers are texts"
    ),
    klines: [
      candles(2, [
        {
          opensAt: 1_793_433_600_000,
          closesAt: 1_793_435_399_999,
          open: 61_300.1,
          high: 61_342.5,
          low: 61_180,
          close: 61_199.99
        },
        {
          opensAt: 1_793_435_400_000,
          closesAt: 1_793_437_199_999,
          open: 61_200,
          high: 61_260,
          low: 61_120.75,
          close: 61_250.73
        }
      ]),
      chart(1_793_437_000_000, [
        [1793435400000, 61300.1, 61342.5, 61180, 61199.99],
        [1793437200000, 61200, 61260, 61120.75, 61250.73]
      ])
    ],
    "symbol-unknown": notTraded,
    "too-many-calls": [
      row(
        read(faultOf(tickers), { requests: ({ url }) => url.pathname }),
        [
          { reason: "rate_limited", detail: "rate limit reached (HTTP 429)", retryAfter: 33_000, status: 429 },
          "/api/v3/ticker/24hr"
        ],
        "requests a pause by Retry-After"
      ),
      isHealthy(false)
    ],
    time: isHealthy(true),
    ...elsewhere(
      asBoth,
      "coinpaprika/ticker",
      "geckoterminal/token-prices",
      "cryptocompare/prices",
      "coingecko/markets-one",
      "coingecko/candles-hours",
      "coingecko/market-chart-day",
      "defillama/current-several",
      "defillama/chart"
    )
  },
  recorded: {
    "ticker-24hr": row(
      read(tickers, {
        now: 1_710_328_244_727,
        reply: ({ response: { body } }) => json([body, peg(1_710_328_244_727)])
      }),
      [{ id: bitcoin, price: 73_346.14, change: 1_186.64, changePercent: 1.644, at: 1_710_328_244_727 }],
      "all numbers are texts"
    ),
    "klines-1h": [
      candles(1, [
        {
          opensAt: 1_710_327_600_000,
          closesAt: 1_710_331_199_999,
          open: 73_249.24,
          high: 73_394.3,
          low: 73_234.62,
          close: 73_347.62
        }
      ]),
      chart(1_710_327_600_000 + 20 * 60_000, [[1_710_327_600_000 + 30 * 60_000, 73249.24, 73394.3, 73234.62, 73347.62]])
    ],
    "error-invalid-symbol": notTraded,
    ...elsewhere(asBoth, ...recordingsIn("coingecko", "defillama").filter((name) => name !== empty)),
    ...elsewhere(asTickers, ...recordingsIn("coingecko").filter((name) => name === empty))
  }
})
