import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound, UpstreamFailed } from "../../contract/Problem.ts"
import type { MarketChart } from "../../contract/prices/marketCharts.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { Days, MarketSeries } from "../../domain/MarketSeries.ts"
import { headerOf } from "../../http/response/partialFailures.ts"
import { type CachedResponse, ResponseCache } from "../../http/response/ResponseCache.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { CoinDetails, type Details } from "./CoinDetails.ts"
import { type Charts, MarketCharts } from "./MarketCharts.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The handlers of the routes of series and coin pages, for `handleRaw`: they write the JSON themselves. */
export const make = Effect.gen(function* () {
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
          : ready.respond(request, toResponse(charts, days, currency))
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

const toResponse = (charts: Charts, days: Days, currency: Currency): CachedResponse => ({
  body: bytes(
    JSON.stringify(Object.fromEntries([...charts.found].map(([id, series]) => [id, toWire(series, currency)])))
  ),
  headers: headersOf(charts),
  // A series that is missing now may be available at the next request.
  maxAge: charts.failed.size + charts.pricesOnly.size > 0 ? 0 : maxAges[days],
  isCurrent: charts.isCurrent
})

const toWire = ({ marketCaps, prices, volumes }: MarketSeries, currency: Currency): MarketChart => ({
  ...(currency === "usd" ? {} : { currency }),
  prices,
  market_caps: marketCaps,
  total_volumes: volumes
})

/** Well below the interval between two points, seconds. */
const maxAges: Record<Days, number> = { 1: 60, 7: 300, 30: 300, 365: 3600 }

interface Missing {
  readonly coin: string
  readonly message: string
  /** The message as one word. */
  readonly reason: string
}

const missing = ({ failed, pricesOnly }: Charts): ReadonlyArray<Missing> => [
  ...[...failed].map(([coin, { message, reason }]) => ({ coin, message, reason })),
  ...[...pricesOnly].map((coin) => ({
    coin,
    message: "market capitalisation and volume are missing: only the prices are available",
    reason: "prices_only"
  }))
]

/** With many coins, the header has the reason of each instead of its message. */
const headersOf = (charts: Charts): Readonly<Record<string, string>> =>
  headerOf(
    missing(charts).map(({ coin, message, reason }) => ({ full: { coin, message }, short: { coin, message: reason } })),
    (count) => ({ coin: "*", message: `and ${count} more` })
  )

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)
