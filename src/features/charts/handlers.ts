import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import type { ChartMetadata, Ohlc } from "../../contract/ChartsApi.ts"
import { UpstreamFailed } from "../../contract/Problem.ts"
import { chartCoins } from "../../domain/Ohlc.ts"
import type { CachedResponse } from "../../http/response/CachedResponse.ts"
import { ResponseCache } from "../../http/response/ResponseCache.ts"
import { asciiJson } from "../../kernel/ascii.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { Charts, type MissingSeries } from "./Charts.ts"
import { everySeries, keyOf, type Series, type SeriesId } from "./Series.ts"

/** Questions whose answers are kept: every single series, and more lists than are asked for again and again. */
const capacity = 128

/** Much less than any series lasts. */
const maxAge = 60

const bytes = new TextEncoder()

const handlers = HttpApiBuilder.group(Api, "charts", (handlers) =>
  Effect.gen(function* () {
    const charts = yield* Charts
    const answers = yield* ResponseCache
    const kept = BoundedMap.sized<CachedResponse>(capacity)

    /** Current for as long as the series are the same. */
    const ready = (wanted: ReadonlyArray<SeriesId>, held: ReadonlyArray<Series>, body: unknown): CachedResponse => ({
      body: bytes.encode(JSON.stringify(body)),
      headers: {},
      maxAge,
      isCurrent: () => {
        const now = charts.held(wanted)
        return now.length === held.length && now.every((series, index) => series === held[index])
      }
    })

    /** One answer from all these series; what is missing is told, and the answer made anew the next time. */
    const respond = Effect.fnUntraced(function* (
      { request }: ChartRequest,
      question: string,
      wanted: ReadonlyArray<SeriesId>,
      body: (held: ReadonlyArray<Series>) => Item | ChartList | Data
    ) {
      const before = kept.get(question)
      if (before?.isCurrent(0) === true) return yield* answers.respond(request, before)
      const { held, missing } = yield* charts.read(wanted)
      if (held.length === 0) return yield* failed(missing)
      const answer = ready(wanted, held, body(held))
      if (missing.length > 0) return yield* answers.respond(request, { ...answer, ...partial(missing) })
      kept.set(question, answer)
      return yield* answers.respond(request, answer)
    })

    return handlers
      .handleRaw("metadata", ({ request }) => {
        const before = kept.get("metadata")
        const held = charts.held(everySeries)
        const answer = before?.isCurrent(0) === true ? before : ready(everySeries, held, metadata(held))
        kept.set("metadata", answer)
        // More is about to come: nobody is to keep this for long.
        if (held.length < everySeries.length) return answers.respond(request, { ...answer, maxAge: 0 })
        return answers.respond(request, answer)
      })
      .handle("restart", () => Effect.succeed({}))
      .handle("errors", () => Effect.succeed([]))
      .handleRaw("data", (asked) => respond(asked, "data", everySeries, data))
      .handleRaw("item", (asked) => respond(asked, keyOf(asked.path), [asked.path], item))
      .handleRaw("list", (asked) => {
        const { coins, period } = asked.path
        const wanted = chartCoins.filter((coin) => coins.includes(coin)).map((coin) => ({ coin, period }))
        return respond(asked, `list ${wanted.map(keyOf)}`, wanted, list)
      })
  })
)

/** With the routes the series are kept fresh. */
export const layer = Layer.merge(
  handlers,
  Layer.scopedDiscard(Effect.flatMap(Charts, ({ keepFresh }) => Effect.forkScoped(keepFresh)))
)

interface ChartRequest {
  readonly request: HttpServerRequest.HttpServerRequest
}

type Item = ReadonlyArray<Ohlc>
type ChartList = Readonly<Record<string, Item>>
type Data = Readonly<Record<string, ChartList>>

const item = ([series]: ReadonlyArray<Series>): Item => series?.candles ?? []

const list = (held: ReadonlyArray<Series>): ChartList =>
  Object.fromEntries(held.map(({ candles, coin }) => [coin, candles]))

const data = (held: ReadonlyArray<Series>): Data => {
  const found: Record<string, Record<string, Item>> = {}
  for (const { candles, coin, period } of held) found[coin] = { ...found[coin], [period]: candles }
  return found
}

const metadata = (held: ReadonlyArray<Series>): ChartMetadata => ({
  lastUpdate: held.length === 0 ? null : Math.max(...held.map(({ at }) => at)),
  data: held.map(({ candles, coin, period }) => ({ coin, period, length: candles.length })),
  service: held.length === 0 ? "coingecko" : [...new Set(held.map(({ source }) => source))].sort().join(",")
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
