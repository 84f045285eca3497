import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import type { ChartMetadata, Ohlc } from "../../contract/ChartsApi.ts"
import { UpstreamFailed } from "../../contract/Problem.ts"
import { chartCoins } from "../../domain/charts/Ohlc.ts"
import { type CachedResponse, ResponseCache } from "../../http/response/ResponseCache.ts"
import { forkBackground } from "../../kernel/Background.ts"
import { asciiJson } from "../../kernel/text/ascii.ts"
import { Charts, type MissingSeries } from "./Charts.ts"
import { everySeries, type Series, type SeriesId } from "./Series.ts"

/** Much less than any refresh interval, seconds. */
const maxAge = 60

const bytes = new TextEncoder()

const handlers = HttpApiBuilder.group(Api, "charts", (handlers) =>
  Effect.gen(function* () {
    const charts = yield* Charts
    const responses = yield* ResponseCache

    /** A response that is current until one of its series changes. */
    const toResponse = (
      requested: ReadonlyArray<SeriesId>,
      all: ReadonlyArray<Series>,
      body: unknown
    ): CachedResponse => ({
      body: bytes.encode(JSON.stringify(body)),
      headers: {},
      maxAge,
      isCurrent: () => {
        const loaded = charts.loaded(requested)
        return loaded.length === all.length && loaded.every((series, index) => series === all[index])
      }
    })

    /** One response from all these series. If series are missing, it reports them and is not cached. */
    const respond = Effect.fnUntraced(function* (
      { request }: { readonly request: HttpServerRequest.HttpServerRequest },
      requested: ReadonlyArray<SeriesId>,
      body: (series: ReadonlyArray<Series>) => Item | ChartList | Data
    ) {
      const { missing, series } = yield* charts.read(requested)
      if (series.length === 0) return yield* failed(missing)
      const response = toResponse(requested, series, body(series))
      if (missing.length > 0) return yield* responses.respond(request, { ...response, ...partial(missing) })
      return yield* responses.respond(request, response)
    })

    return handlers
      .handleRaw("metadata", ({ request }) => {
        const series = charts.loaded(everySeries)
        const response = toResponse(everySeries, series, metadata(series))
        // More series are about to be loaded: clients must not cache this.
        if (series.length < everySeries.length) return responses.respond(request, { ...response, maxAge: 0 })
        return responses.respond(request, response)
      })
      .handle("restart", () => Effect.succeed({}))
      .handle("errors", () => Effect.succeed([]))
      .handleRaw("data", (request) => respond(request, everySeries, data))
      .handleRaw("item", (request) => respond(request, [request.path], item))
      .handleRaw("list", (request) => {
        const { coins, period } = request.path
        const requested = chartCoins.filter((coin) => coins.includes(coin)).map((coin) => ({ coin, period }))
        return respond(request, requested, list)
      })
  })
)

/** The routes, and the refresh of the series while the routes are served. */
export const layer = Layer.merge(
  handlers,
  Layer.scopedDiscard(Effect.flatMap(Charts, ({ keepFresh }) => forkBackground(keepFresh)))
)

type Item = ReadonlyArray<Ohlc>
type ChartList = Readonly<Record<string, Item>>
type Data = Readonly<Record<string, ChartList>>

const item = ([series]: ReadonlyArray<Series>): Item => series?.candles ?? []

const list = (all: ReadonlyArray<Series>): ChartList =>
  Object.fromEntries(all.map(({ candles, coin }) => [coin, candles]))

const data = (all: ReadonlyArray<Series>): Data => {
  const found: Record<string, Record<string, Item>> = {}
  for (const { candles, coin, period } of all) found[coin] = { ...found[coin], [period]: candles }
  return found
}

const metadata = (all: ReadonlyArray<Series>): ChartMetadata => ({
  lastUpdate: all.length === 0 ? null : Math.max(...all.map(({ at }) => at)),
  data: all.map(({ candles, coin, period }) => ({ coin, period, length: candles.length })),
  service: all.length === 0 ? "coingecko" : [...new Set(all.map(({ source }) => source))].sort().join(",")
})

const partial = (missing: ReadonlyArray<MissingSeries>) => ({
  headers: {
    "x-partial-failures": asciiJson(missing.map(({ coin, message, period }) => ({ coin, period, message })))
  },
  maxAge: 0,
  isCurrent: () => false
})

const failed = (missing: ReadonlyArray<MissingSeries>) => {
  const [first] = missing
  const rest = missing.length > 1 ? `, and ${missing.length - 1} more` : ""
  const time = first?.period === "1" ? "a day" : `${first?.period} days`
  const which = first === undefined ? "" : ` of ${first.coin} over ${time}${rest}`
  return new UpstreamFailed({
    detail: `There are no candles${which}: ${first?.message ?? "they have not been fetched"}.`,
    headers: { "retry-after": String(Math.min(...missing.map(({ retryAfter }) => retryAfter))) }
  })
}
