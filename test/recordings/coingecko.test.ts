import { isDeepStrictEqual } from "node:util"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { price } from "../../src/domain/Amount.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { type RawSeries, validSeries } from "../../src/domain/charts/MarketSeries.ts"
import type { Price } from "../../src/domain/Price.ts"
import * as ChartSource from "../../src/features/charts/ChartSource.ts"
import { unusable } from "../../src/features/charts/Charts.ts"
import { CoinDetails } from "../../src/features/prices/CoinDetails.ts"
import { PriceSource } from "../../src/features/prices/PriceSource.ts"
import * as CoinGeckoPrices from "../../src/features/prices/sources/CoinGeckoPrices.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import type { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { type Exchange, exactText, replay } from "../support/fixtures.ts"
import { json } from "../support/http.ts"
import {
  accepted,
  bitcoin,
  calling,
  canary,
  elsewhere,
  faultOf,
  ids,
  pathOf,
  queryOf,
  recordingsIn,
  written
} from "./readers/market.ts"
import { fails, recordingsOf, row } from "./table.ts"

const read = calling(
  Layer.provideMerge(Layer.mergeAll(CoinGeckoPrices.layer, Layer.fresh(CoinDetails.layer)), CoinGecko.layer)
)

type Api = typeof CoinGecko.Service

const api = <A>(use: (coingecko: Api) => Effect.Effect<A, UpstreamError>) => Effect.flatMap(CoinGecko, use)
const prices = (...coins: ReadonlyArray<string>) =>
  Effect.flatMap(PriceSource, (source) => source.prices(ids(...coins)))
const calls = () => "call"
const hour = 3_600_000

/** A failure of prices, which is recognised by its body with HTTP 200. */
const failed = (fault: object) => [
  row(read(faultOf(prices("bitcoin"))), { reason: "upstream_error", ...fault }),
  row(read(prices("bitcoin"), { reply: (it) => replay(it, { status: 200 }) }), fails("bad_answer"), "with HTTP 200")
]

/** A rate limit of this many ms, which is recognised by its body with HTTP 200 and any headers. */
const limited = (retryAfter: number) => [
  row(read(faultOf(prices("bitcoin")), { requests: calls }), [
    { reason: "rate_limited", detail: "rate limit reached", retryAfter, status: 429 },
    "call"
  ]),
  row(read(prices("bitcoin"), { reply: (it) => replay(it, { status: 200 }) }), fails("rate_limited"), "with HTTP 200"),
  row(
    read(prices("bitcoin"), { reply: (it) => replay(it, { status: 200, headers: {} }) }),
    fails("rate_limited"),
    "with HTTP 200, without headers"
  )
]

const candlesOf = (days: number) => api((coingecko) => coingecko.candles(bitcoin, days))

/** A failure of the server, which is requested three times. */
const broken = [
  ...failed({ detail: "returned HTTP 500", status: 500 }),
  row(
    read(faultOf(candlesOf(1)), { requests: calls }),
    [{ reason: "upstream_error", detail: "returned HTTP 500", status: 500 }, "call", "call", "call"],
    "is requested at most three times"
  ),
  row(
    read(
      Effect.flatMap(ChartSource.coinGecko, ({ series }) => series({ coin: "bitcoin", period: "1" })),
      {}
    ),
    fails("upstream_error"),
    "as a chart"
  )
]

const tooLongAgo = [401, 200].map((status) =>
  row(
    read(faultOf(api((coingecko) => coingecko.series(CoinId.make("bitcoin-cash"), 365))), {
      reply: (it) => replay(it, { status }),
      requests: calls
    }),
    [{ reason: "upstream_error", detail: "does not provide data of that long ago", final: true, status }, "call"],
    `is final with HTTP ${status}`
  )
)

const none = Option.none()
const btc = CoinId.make("btc")
const token = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

/** A coin that does not exist. */
const unknown = [
  ...failed({ detail: "returned HTTP 404", status: 404, final: true }),
  row(
    read(
      api(({ coin, contract, series }) =>
        Effect.all([coin(btc) as Effect.Effect<unknown, UpstreamError>, contract("ethereum", "0x01"), series(btc, 1)])
      )
    ),
    [none, none, none],
    "does not exist"
  ),
  row(
    read(faultOf(api((coingecko) => coingecko.candles(btc, 1)))),
    { reason: "upstream_error", detail: "returned HTTP 404", final: true, status: 404 },
    "candles"
  ),
  row(read(Effect.flatMap(CoinDetails, (details) => details.token("ethereum", token))), none, "has no details")
]

/** Unchanged candles, dated by their end: their number, the first and the last. */
const candles = (days: number, ...expected: ReadonlyArray<unknown>) =>
  row(
    read(candlesOf(days), {
      requests: (sent, recording) => [pathOf(sent, recording), sent.url.search],
      show: (found, { response: { body } }) => [isDeepStrictEqual(found, body), found.length, found[0], found.at(-1)]
    }),
    [
      [true, ...expected],
      [true, `?vs_currency=usd&days=${days}`]
    ],
    "unchanged candles"
  )

const sentAt = ({ response: { headers } }: Exchange) => Date.parse(headers.date ?? "")

/** Candles as a chart: the steps in hours, and why they are unusable. The last has not ended, and some open at a gap. */
const chart = (period: "30" | "365", steps: ReadonlyArray<number>, length: number, fault?: string) =>
  row(
    read(
      Effect.flatMap(ChartSource.coinGecko, ({ series }) => series({ coin: "bitcoin", period })),
      {
        now: sentAt,
        requests: (sent, recording) => [pathOf(sent, recording), sent.url.searchParams.get("days")],
        show: (found, recording) => ({
          unchanged: isDeepStrictEqual(found, recording.response.body),
          length: found.length,
          running: (found.at(-1)?.[0] ?? 0) > sentAt(recording),
          gap: found.some(([, open], index) => index > 0 && open !== found[index - 1]?.[4]),
          steps: [...new Set(found.slice(1).map(([end], index) => (end - (found[index]?.[0] ?? 0)) / hour))].sort(),
          fault: unusable(found, period, sentAt(recording))
        })
      }
    ),
    [{ unchanged: true, length, running: true, gap: true, steps, fault }, [true, period]],
    "as a chart"
  )

const short = "returned candles for only a part of the period"

const gapsOf = (points: ReadonlyArray<readonly [number, unknown]>) =>
  new Set(points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? 0))).size

/** Unchanged series of this length; at irregular intervals if there is more than one gap. */
const series = (coin: string, days: number, length: number, gaps: number) =>
  row(
    read(
      api((coingecko) => coingecko.series(CoinId.make(coin), days)),
      {
        requests: pathOf,
        show: (found, { response: { body } }) => {
          const { market_caps, prices, total_volumes } = Option.getOrThrow(found)
          const lengths = [prices, market_caps, total_volumes].map((list) => list.length)
          return [isDeepStrictEqual(Option.getOrThrow(found), body), lengths, gapsOf(prices)]
        }
      }
    ),
    [[true, [length, length, length], gaps], true],
    "three unchanged series"
  )

const seriesIn = ({ response }: Exchange): RawSeries => {
  const { prices, market_caps, total_volumes } = response.body as Readonly<
    Record<"prices" | "market_caps" | "total_volumes", RawSeries["prices"]>
  >
  return { prices, marketCaps: market_caps, volumes: total_volumes }
}

/** The valid points of a series a minute after its newest point. */
const valid = (recording: Exchange, days: 1 | 365) => {
  const series = seriesIn(recording)
  const found = validSeries(series, days, Math.max(...series.prices.map(([at]) => at)) + 60_000)
  if (typeof found === "string") throw new Error(found)
  return found
}

/** A daily series is unchanged: its last point is of the current time, on the same day as the point before it. */
const daily = (last: ReadonlyArray<number>) =>
  row(
    (recording) => {
      const found = valid(recording, 365)
      const days = found.prices.slice(-2).map(([at]) => Math.floor(at / (24 * hour)))
      return [isDeepStrictEqual(found, seriesIn(recording)), found.prices.at(-1), days[0] === days[1]]
    },
    [true, last, true],
    "daily points are unchanged"
  )

type Ask = (coingecko: Api) => ReturnType<Api["coin"]>

/** The page is forwarded character by character, and contains these texts. */
const page = (ask: Ask, ...texts: ReadonlyArray<string>) =>
  row(
    read(api(ask), {
      requests: pathOf,
      show: (found, recording) => {
        const text = Option.getOrThrow(found)
        return [text === exactText(recording), texts.filter((digits) => !text.includes(digits))]
      }
    }),
    [[true, []], true],
    "is forwarded as text"
  )

const pageOf = (id: string) => page((coingecko) => coingecko.coin(CoinId.make(id)))

/** The details of a token are the page, requested in lower case. */
const tokenDetails = (address: string) =>
  row(
    read(
      Effect.flatMap(CoinDetails, (details) => details.token("ethereum", address)),
      {
        requests: ({ url }) => url.pathname,
        show: (found, { response: { body } }) => isDeepStrictEqual(JSON.parse(Option.getOrThrow(found).text), body)
      }
    ),
    [true, `/api/v3/coins/ethereum/contract/${address.toLowerCase()}`],
    "details in mixed case"
  )

const nativeDetails = row(
  read(
    Effect.flatMap(CoinDetails, (details) => details.native("bitcoin")),
    {
      requests: ({ url }) => url.pathname,
      show: (found) => Option.getOrThrow(found).text.includes('"asset_platform_id":null')
    }
  ),
  [true, "/api/v3/coins/bitcoin"],
  "details need no platform list"
)

const foreign = read(
  accepted<CoinGecko | PriceSource>(
    ["bad_answer", "upstream_error"],
    prices("bitcoin"),
    api((coingecko) => coingecko.largest(1)),
    candlesOf(1),
    api((coingecko) => coingecko.exchangeRates),
    api((coingecko) => coingecko.series(bitcoin, 1))
  )
)

const listed = (expected: unknown, shows = "") =>
  row(
    read(
      api(({ coins }) => coins),
      { show: (all) => all.map(({ id, platforms }) => [CoinId.make(id), platforms]) }
    ),
    expected,
    shows
  )

const isHealthy = (expected: boolean) =>
  row(read(canary, { requests: ({ url }) => url.pathname }), [expected, "/api/v3/ping"], "as a health check")

const tiny = (all: ReadonlyArray<Price>) => all.map(({ coinId, usd }) => [coinId, written(usd)])

/** A page of many coins: how many, some prices, and whether all are exact. */
const glitches = (all: ReadonlyArray<Price>) => {
  const found = new Map(all.map((each) => [each.coinId as string, each]))
  const some = ["ticoex-token", "baby-doge-coin", "bittorrent", "ethereum"]
  return {
    count: found.size,
    hasNullAsFdv: "fdv" in (found.get("ethereum") ?? {}),
    written: some.map((id) => written(found.get(id)?.usd ?? 0)),
    tether: found.get("tether")?.updatedAt,
    inexact: all.filter(({ usd }) => !Option.exists(price(usd), (exact) => BigDecimal.unsafeToNumber(exact) === usd))
  }
}

const platforms = api((coingecko) => coingecko.platforms)

const isPlatforms = (path: string) => path.endsWith("/asset_platforms")

recordingsOf("coingecko", {
  samples: {
    "markets-one": row(
      read(prices("larkcoin"), { requests: queryOf }),
      [
        [
          {
            coinId: "larkcoin",
            usd: 41_207,
            updatedAt: Date.UTC(2026, 9, 31, 9, 15, 2, 481),
            source: "coingecko",
            name: "Larkcoin",
            symbol: "lark",
            image: "https://icons.example/larkcoin/large.png",
            fdv: 865_347_000_000,
            change24h: -312.40718,
            changePercent24h: -0.75243
          }
        ],
        true
      ],
      "the complete price of one coin"
    ),
    "markets-odd-rows": row(
      read(prices("sparrow")),
      [
        {
          source: "coingecko",
          coinId: "glitch-token",
          usd: 0.00271828,
          updatedAt: Date.UTC(2026, 9, 31, 9, 15),
          name: "Glitch",
          symbol: "glt",
          changePercent24h: 187_654_321
        },
        {
          source: "coingecko",
          coinId: "sparrow",
          usd: 20,
          updatedAt: Date.UTC(2026, 9, 31, 9, 14, 59, 250),
          name: "Sparrow",
          symbol: "spw",
          change24h: 0
        }
      ],
      "rows without a price and fields without a value are omitted"
    ),
    "markets-tiny-prices": row(
      read(prices("mote", "speck"), { show: tiny }),
      [
        ["mote", "0.000000004518"],
        ["speck", "0.0000073"]
      ],
      "are written without an exponent"
    ),
    "markets-past-the-end": row(read(api((coingecko) => coingecko.largest(99))), []),
    "limit-429": [...limited(47_000), isHealthy(false)],
    "failure-500": broken,
    "parameters-missing-422": failed({ detail: "returned HTTP 422", status: 422, final: true }),
    "coin-unknown-404": unknown,
    "coin-unknown-404-longer-text": unknown,
    "history-too-long-10012": tooLongAgo,
    "candles-year": [
      candles(
        365,
        5,
        [1792195200000, 38120.5, 39004.25, 37900, 38800.75],
        [1793491200000, 39990.5, 41800.25, 39940.75, 41207]
      ),
      chart("365", [168, 24, 72, 96], 5, short)
    ],
    "candles-hours": [
      candles(
        30,
        4,
        [1793404800000, 41100.5, 41350.25, 41080, 41300],
        [1793448000000, 41250, 41260.5, 41190.25, 41207]
      ),
      chart("30", [4], 4, short)
    ],
    "market-chart-day": [
      series("larkcoin", 1, 5, 4),
      row(
        (recording) => valid(recording, 1),
        {
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
        },
        "is sorted, with its irregular times and all digits"
      )
    ],
    "market-chart-daily": [series("larkcoin", 365, 4, 2), daily([1793437200000, 41207.25])],
    "coin-native": [
      page(
        ({ coin }) => coin(bitcoin),
        '"usd":61250.0,',
        '"btc":1.0,',
        '"xau":1.39852e-10}',
        '"idr":123456789012345678901.5}'
      ),
      nativeDetails
    ],
    "coin-many-platforms": pageOf("wren-finance"),
    "contract-lower-case": [
      page(({ contract }) => contract("ethereum", `0x${"7e".repeat(20)}`), '"usd":3.1}'),
      tokenDetails(`0x${"7E".repeat(20)}`)
    ],
    "coins-list": listed(
      [
        ["_", { solana: "6Gg4AVKo8GAft4Wb2JSfhHCW3PQhXxYxapzBYeVjGzA9" }],
        ["0wren", {}],
        ["-7", { ethereum: "" }],
        ["wren-finance", { ethereum: `0x${"7e".repeat(20)}` }],
        ["wren-old", { ethereum: null }]
      ],
      "with any id, without coins that lack the field `platforms`"
    ),
    "asset-platforms": row(
      read(platforms),
      [
        { id: "binance-smart-chain", chain_identifier: 56, native_coin_id: "binancecoin" },
        { id: "xdai", chain_identifier: 100, native_coin_id: "xdai" },
        { id: "nestledger", chain_identifier: null, native_coin_id: "nestcoin" },
        { id: "egg", chain_identifier: null, native_coin_id: null },
        { id: "feather", chain_identifier: null, native_coin_id: undefined }
      ],
      "many without a chain id or a coin, without an invalid row"
    ),
    "asset-platforms + coin-native": row(
      read(
        Effect.flatMap(CoinDetails, ({ native }) => Effect.forEach(["nestledger", "egg", "feather"], native)),
        {
          reply: (list, { url }, [coin = list]) => replay(isPlatforms(url.pathname) ? list : coin),
          requests: ({ url }) => url.pathname,
          show: (found) => found.map(Option.isSome)
        }
      ),
      [[true, false, false], "/api/v3/asset_platforms", "/api/v3/coins/nestcoin"],
      "details of other platforms are those of their coin"
    ),
    "exchange-rates": [
      row(
        read(
          api((coingecko) => coingecko.exchangeRates),
          { requests: pathOf }
        ),
        [
          {
            rates: {
              btc: { value: 1, type: "crypto" },
              usd: { value: 61_250.5, type: "fiat" },
              eur: { value: 55_125.45, type: "fiat" },
              idr: { value: 961_632_850.125, type: "fiat" },
              xau: { value: 22.375, type: "commodity" }
            }
          },
          true
        ],
        "of every type"
      ),
      row(
        read(
          api((coingecko) => coingecko.exchangeRates),
          {
            reply: ({ response: { body } }) =>
              json({
                ...(body as object),
                rates: { usd: { value: 61_250.5, type: "fiat" }, vnd: { value: null, type: "fiat" }, ars: "a" }
              })
          }
        ),
        { rates: { usd: { value: 61_250.5, type: "fiat" } } },
        "without currencies that have no valid price"
      )
    ],
    ping: isHealthy(true),
    "simple-price": isHealthy(false),
    ...elsewhere(
      foreign,
      "coingecko/simple-price",
      "coinpaprika/ticker",
      "geckoterminal/token-prices",
      "cryptocompare/prices"
    )
  },
  recorded: {
    "coins-markets-one": row(
      read(prices("bitcoin")),
      [
        {
          coinId: "bitcoin",
          usd: 49_053,
          updatedAt: 1_621_094_383_867,
          source: "coingecko",
          name: "Bitcoin",
          symbol: "btc",
          image: "https://assets.coingecko.com/coins/images/1/large/bitcoin.png?1547033579",
          fdv: 1_030_116_515_125,
          change24h: -2246.57482218,
          changePercent24h: -4.37931
        }
      ],
      "the complete price of one coin"
    ),
    "coins-markets-page-with-bad-and-null-data": row(
      read(prices("tether"), { show: glitches }),
      {
        count: 40,
        hasNullAsFdv: false,
        written: ["0.00136138", "0.000000003447", "0.00000196", "2726.53"],
        tether: Date.parse("2022-02-23T11:31:06.164Z"),
        inexact: []
      },
      "with glitches, nulls and tiny prices"
    ),
    "coins-markets-empty-page": row(read(prices("bitcoin")), []),
    "rate-limit-429-json": limited(119_000),
    "ohlc-missing-params-500": broken,
    "simple-price-missing-ids-422": failed({ detail: "returned HTTP 422", status: 422, final: true }),
    "coin-not-found-404": unknown,
    "coin-not-found-404-old-text": unknown,
    "time-range-10012-nested-error": tooLongAgo,
    "ohlc-365-days": [
      candles(
        365,
        96,
        [1627344000000, 35456.12, 37281.92, 35456.12, 37281.92],
        [1658880000000, 22506.2, 22613.72, 22506.2, 22613.72]
      ),
      chart("365", [168, 24, 72, 96], 96)
    ],
    "ohlc-7-days": [
      candles(
        7,
        42,
        [1620504000000, 57945.79, 59122.18, 57945.79, 59122.18],
        [1621094400000, 48868.6, 49675.91, 48868.6, 49675.91]
      ),
      // A week of candles is too short for a month.
      chart("30", [4], 42, short)
    ],
    "market-chart-1-day": [
      series("bitcoin", 1, 60, 59),
      row(
        (recording) => {
          const { prices } = seriesIn(recording)
          const found = valid(recording, 1)
          return {
            last: prices.slice(-2).map(([at]) => at),
            first: found.prices[0],
            sorted: isDeepStrictEqual(found.prices, [...prices.slice(0, -2), ...prices.slice(-2).reverse()]),
            lengths: [found.prices.length, found.marketCaps.length, found.volumes.length],
            gaps: gapsOf(found.prices)
          }
        },
        {
          last: [1621089594955, 1621089594000],
          first: [1621003519770, 50675.258073370765],
          sorted: true,
          lengths: [60, 60, 60],
          gaps: 59
        },
        "is sorted, with its irregular times and all digits"
      )
    ],
    "market-chart-90-days-daily": [series("bitcoin", 90, 91, 2), daily([1621089594000, 49078.83040364477])],
    "coin-bitcoin-full": pageOf("bitcoin"),
    "coin-bitcoin-native-no-market-data": [pageOf("bitcoin"), nativeDetails],
    "coin-yearn-many-platforms": pageOf("yearn-finance"),
    "contract-usdt-checksum-address": [page(({ contract }) => contract("ethereum", token)), tokenDetails(token)],
    ...elsewhere(foreign, ...recordingsIn("coingecko").filter((name) => /(simple-price|token-price)/.test(name))),
    "coins-list-with-platforms": listed([
      ["official-trump", { solana: "6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN" }],
      ["ondo-finance", { ethereum: "0xfaba6f8e4a5e8ab82f62fe7c39859fa577269be3" }]
    ]),
    "coins-list-empty-platform-address": row(
      read(
        api(({ coins }) => coins),
        { show: (all) => [all.length, ...all.slice(0, 2).map(({ id, platforms }) => [id, platforms])] }
      ),
      [6, ["01coin", {}], ["0-5x-long-algorand-token", { ethereum: "" }]]
    ),
    "coins-list-slice": [
      listed([], "coins without platforms are omitted"),
      row(
        read(
          api(({ coins }) => coins),
          {
            reply: ({ response: { body } }) =>
              json((body as ReadonlyArray<object>).map((each) => ({ ...each, platforms: {} }))),
            show: (all) => {
              const found = all.map(({ id }) => CoinId.make(id) as string)
              return [found.length, ["_", "0chain", "-10", "0x"].filter((id) => !found.includes(id))]
            }
          }
        ),
        [50, []],
        "coins with any id"
      )
    ],
    "asset-platforms-2021": [
      row(
        read(platforms, {
          show: (all) => {
            const chains = all.filter(({ chain_identifier }) => chain_identifier !== null)
            const byId = Object.fromEntries(chains.map((each) => [each.chain_identifier, each.id]))
            return [all.length, Object.keys(byId).length, ...[1, 56, 100, 137].map((id) => byId[id])]
          }
        }),
        [56, 11, "ethereum", "binance-smart-chain", "xdai", "polygon-pos"],
        "most of them without a chain id"
      ),
      row(
        read(Effect.flatMap(CoinDetails, (details) => details.native("factom"))),
        none,
        "an old platform list has no coins"
      )
    ]
  }
})
