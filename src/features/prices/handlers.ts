import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Api } from "../../contract/Api.ts"
import { NotFound, UpstreamFailed } from "../../contract/Problem.ts"
import type { CurrencyRate } from "../../contract/prices/currencies.ts"
import type { MarketChart } from "../../contract/prices/marketCharts.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { type Currency, currencies, facts } from "../../domain/Currency.ts"
import type { Days, MarketSeries } from "../../domain/charts/MarketSeries.ts"
import { type CachedResponse, ResponseCache } from "../../http/response/ResponseCache.ts"
import { forkBackground } from "../../kernel/Background.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import * as ChainPriceHandlers from "./ChainPriceHandlers.ts"
import { CoinDetails, type Details } from "./CoinDetails.ts"
import * as CoinPriceHandlers from "./CoinPriceHandlers.ts"
import { ExchangeRates } from "./currencies/ExchangeRates.ts"
import { type Charts, MarketCharts } from "./MarketCharts.ts"
import { PriceRefresh } from "./PriceRefresh.ts"
import { noRate } from "./Prices.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The handlers of the routes of series and coin pages, for `handleRaw`: they write the JSON themselves. */
const marketChartHandlers = Effect.gen(function* () {
  const marketCharts = yield* MarketCharts
  const coinDetails = yield* CoinDetails
  const ready = yield* ResponseCache

  const page = (
    request: ServerRequest,
    name: string,
    found: Effect.Effect<Option.Option<Details>, UpstreamError>
  ): Effect.Effect<Response, NotFound | UpstreamFailed> =>
    found.pipe(
      Effect.mapError((error) => unavailable("The details could not be fetched", error, [error])),
      Effect.flatMap(
        Option.match({
          onNone: () => new NotFound({ detail: `The market data provider does not know ${name}.` }),
          onSome: (details) => ready.respond(request, pageResponse(details))
        })
      )
    )

  return {
    marketChart: (
      request: ServerRequest,
      coins: ReadonlyArray<CoinId>,
      days: Days,
      currency: Currency
    ): Effect.Effect<Response, UpstreamFailed> => {
      const ids = [...new Set(coins)].sort()
      return Effect.flatMap(marketCharts.charts(ids, days, currency), (charts) => {
        const [failure] = charts.failed.values()
        return failure !== undefined && charts.found.size === 0
          ? unavailable("No series could be fetched", failure, charts.failed.values())
          : ready.respond(request, toResponse(charts, ids, days, currency))
      })
    },
    nativeDetails: (request: ServerRequest, platform: string) => page(request, platform, coinDetails.native(platform)),
    tokenDetails: (request: ServerRequest, platform: string, contract: string) =>
      page(request, `${contract} on ${platform}`, coinDetails.token(platform, contract))
  }
})

/** The problem of failed sources, with the shortest `retry-after` that a source sent. */
const unavailable = (what: string, { message }: UpstreamError, all: Iterable<UpstreamError>): UpstreamFailed => {
  const soonest = Math.min(...Array.from(all, ({ retryAfter }) => retryAfter ?? Number.POSITIVE_INFINITY))
  const detail = `${what}: ${message}.`
  return Number.isFinite(soonest)
    ? new UpstreamFailed({ detail, headers: { "retry-after": String(Math.max(1, Math.ceil(soonest / 1000))) } })
    : new UpstreamFailed({ detail })
}

const pageResponse = ({ isCurrent, text }: Details): CachedResponse => ({
  body: bytes(text),
  headers: {},
  maxAge: 60,
  isCurrent
})

const toResponse = (charts: Charts, ids: ReadonlyArray<CoinId>, days: Days, currency: Currency): CachedResponse => ({
  body: bytes(
    JSON.stringify(Object.fromEntries([...charts.found].map(([id, series]) => [id, toMarketChart(series, currency)])))
  ),
  headers: headersOf(charts, ids),
  // A series that is missing now may be available at the next request.
  maxAge: charts.failed.size + charts.pricesOnly.size > 0 ? 0 : maxAges[days],
  isCurrent: charts.isCurrent
})

const toMarketChart = ({ marketCaps, prices, volumes }: MarketSeries, currency: Currency): MarketChart => ({
  ...(currency === "usd" ? {} : { currency }),
  prices,
  market_caps: marketCaps,
  total_volumes: volumes
})

/** Well below the interval between two points, seconds. */
const maxAges: Record<Days, number> = { 1: 60, 7: 300, 30: 300, 365: 3600 }

/** The coins without a series, or with prices only. */
const headersOf = ({ failed, found, pricesOnly }: Charts, ids: ReadonlyArray<CoinId>) =>
  CoinPriceHandlers.missingCoins([
    ...[...failed].map(([coin, { message, reason }]) => ({ coin, message, errorCode: reason })),
    ...[...pricesOnly].map((coin) => ({
      coin,
      message: "market capitalisation and volume are missing: only the prices are available",
      errorCode: "prices_only"
    })),
    ...ids.filter((id) => !found.has(id) && !failed.has(id)).map(CoinPriceHandlers.unknownCoin)
  ])

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)

/** The response of GET /price/currencies. Cannot fail: a rate that is not available is null with its reason. */
const currencyRates = Effect.map(ExchangeRates, (rates) =>
  Effect.map(
    rates.all,
    (all): ReadonlyArray<CurrencyRate> =>
      currencies.flatMap((currency): ReadonlyArray<CurrencyRate> => {
        const rate = all.get(currency)
        if (rate === undefined) return []
        if (currency === "usd") return [{ currency, ...named(currency), perUsd: 1 }]
        return [{ currency, ...named(currency), ...Either.match(rate, { onLeft: missing(currency), onRight: known }) }]
      })
  )
)

const named = (currency: Currency) => {
  const { coinId: _, ...named } = facts[currency]
  return named
}

const known = ({ perUsd, source, updatedAt }: { perUsd: number; source: string; updatedAt: number }) => ({
  perUsd,
  source,
  updatedAt
})

const missing =
  (currency: Currency) =>
  ({ reason }: { reason: NonNullable<CurrencyRate["errorCode"]> }) => ({
    perUsd: null,
    error: noRate(currency),
    errorCode: reason
  })

const routes = HttpApiBuilder.group(Api, "prices", (handlers) =>
  Effect.gen(function* () {
    const ready = yield* ResponseCache
    const ofChains = yield* ChainPriceHandlers.make
    const ofCoins = yield* CoinPriceHandlers.make
    const charts = yield* marketChartHandlers
    const listed = yield* currencyRates
    return handlers
      .handleRaw("chain", ({ request, urlParams: { currency = "usd", network_ids } }) =>
        Effect.flatMap(ofChains(network_ids, currency), (answer) => ready.respond(request, answer))
      )
      .handleRaw("coin", ({ request, urlParams: { coin_ids, currency = "usd" } }) =>
        Effect.flatMap(ofCoins(coin_ids, currency), (answer) => ready.respond(request, answer))
      )
      .handleRaw("marketChart", ({ request, urlParams: { coin_ids, currency = "usd", days } }) =>
        charts.marketChart(request, coin_ids, days, currency)
      )
      .handle("currencies", () => listed)
      .handleRaw("nativeDetails", ({ path: { platform }, request }) => charts.nativeDetails(request, platform))
      .handleRaw("tokenDetails", ({ path: { contract, platform }, request }) =>
        charts.tokenDetails(request, platform, contract)
      )
  })
)

/** Prices are refreshed while the routes that serve them exist. */
export const layer = Layer.merge(
  routes,
  Layer.scopedDiscard(Effect.flatMap(PriceRefresh, ({ keepFresh }) => forkBackground(keepFresh)))
)
