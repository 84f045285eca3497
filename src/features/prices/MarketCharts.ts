import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CoinId } from "../../domain/CoinId.ts"
import type { Currency } from "../../domain/Currency.ts"
import { type Days, MarketSeries, type RawSeries, validSeries } from "../../domain/charts/MarketSeries.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import { DefiLlama } from "../../providers/DefiLlama.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Cache from "../../storage/Cache.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import * as PastRates from "./currencies/PastRates.ts"
import { queryCoinByCoin } from "./queryCoinByCoin.ts"

/** A coin in neither map is unknown to the market data provider. */
export interface Charts {
  readonly found: ReadonlyMap<CoinId, MarketSeries>
  /** Coins of `found` that have only prices, because only the second source responded. */
  readonly pricesOnly: ReadonlySet<CoinId>
  readonly failed: ReadonlyMap<CoinId, UpstreamError>
  /** Whether these series are still current at this time (ms). True for a few seconds at most. */
  readonly isCurrent: (now: number) => boolean
}

/** Price, market capitalisation and volume of coins over the last days. */
export class MarketCharts extends Context.Tag("features/prices/MarketCharts")<
  MarketCharts,
  {
    /**
     * In a currency at the rates of each time, by default US dollars. Cannot fail, and ends before the deadline of a
     * request or within `within` (ms): a coin whose series is not available by then is in `failed`.
     */
    readonly charts: (
      ids: ReadonlyArray<CoinId>,
      days: Days,
      currency?: Currency,
      within?: number
    ) => Effect.Effect<Charts>
  }
>() {
  static readonly layer = Layer.scoped(
    MarketCharts,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko
      const defillama = yield* DefiLlama
      const longestWait = Deadline.make(yield* requestDeadline).share("write")
      const inCurrency = yield* PastRates.make
      const caches = {
        1: yield* open(inCurrency, 1, "5 minutes", "6 hours"),
        7: yield* open(inCurrency, 7, "30 minutes", "1 day"),
        30: yield* open(inCurrency, 30, "1 hour", "2 days"),
        365: yield* open(inCurrency, 365, "12 hours", "7 days")
      } satisfies Record<Days, Caches>

      const query = (id: string, { pricesAlone, complete }: Caches, within: number) =>
        Effect.gen(function* () {
          let failure: UpstreamError | undefined
          const all = complete.get(id).pipe(
            Effect.map(Option.map((series) => ({ series, pricesOnly: false }))),
            Effect.tapError((error) => {
              failure = error
              return Effect.void
            })
          )
          // A coin that the second source does not have may still exist.
          const prices = Effect.map(Effect.flatten(pricesAlone.get(id)), (series) =>
            Option.some({ series, pricesOnly: true })
          )
          yield* complete.recall([id])
          if (complete.current(id, yield* Clock.currentTimeMillis) !== undefined) return yield* all
          const sources = [
            { standing: coingecko.standing, ask: all },
            { standing: defillama.standing, ask: Effect.mapError(prices, () => failure ?? timedOut()) }
          ]
          return yield* Effect.mapError(
            Sources.first(sources, ({ ask }) => ask, { none: timedOut() }),
            (error) => failure ?? error
          )
        }).pipe(
          timeoutTo({
            duration: Math.min(within, longestWait),
            onTimeout: () =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => {
                const series = complete.current(id, now)
                return series === undefined ? timedOut() : Effect.succeedSome({ series, pricesOnly: false })
              })
          }),
          Effect.provideService(CurrentPriority, priorities.chart),
          Effect.either
        )

      return {
        charts: Effect.fnUntraced(function* (coinIds, days, currency = "usd", within = longestWait) {
          const ids = [...new Set(coinIds)]
          const all = yield* each(ids, (id) => query(keyOf(id, currency), caches[days], within))
          const found = new Map<CoinId, MarketSeries>()
          const pricesOnly = new Set<CoinId>()
          const failed = new Map<CoinId, UpstreamError>()
          for (const [index, id] of ids.entries()) {
            const item = all[index]
            if (item === undefined) continue
            if (Either.isLeft(item)) failed.set(id, item.left)
            else if (Option.isSome(item.right)) {
              found.set(id, item.right.value.series)
              if (item.right.value.pricesOnly) pricesOnly.add(id)
            }
          }
          const now = yield* Clock.currentTimeMillis
          return { found, pricesOnly, failed, isCurrent: current(caches[days], found, currency, now + recheckAfter) }
        }, span("MarketCharts.charts"))
      }
    })
  )
}

interface Caches {
  readonly complete: Cache.Cache<MarketSeries, UpstreamError>
  /** Series with only prices. They never replace a complete series, which is always requested first. */
  readonly pricesAlone: Cache.Cache<MarketSeries, UpstreamError>
}

/** How long series are served without reading the cache, ms. The cache only renews a series when it is read. */
const recheckAfter = 5_000

const of = (upstream: string, reason: UpstreamError["reason"], detail: string) =>
  new UpstreamError({ upstream, reason, detail })

const timedOut = () => of("coingecko", "timeout", "timed out")

const unavailable = of("coingecko", "rate_limited", "accepts no more calls for charts at the moment")

/** The key of a series in the caches. No id of a coin with a chart has a slash. */
const keyOf = (id: CoinId, currency: Currency): string => (currency === "usd" ? id : `${currency}/${id}`)

const fromKey = (key: string): readonly [id: CoinId, currency: Currency] => {
  const [currency, id] = key.split("/")
  return id === undefined ? [CoinId.make(key), "usd"] : [CoinId.make(id), currency as Currency]
}

/** The caches of one period. Each point has its time, so an old series is still correct. */
const open = (
  inCurrency: Effect.Effect.Success<typeof PastRates.make>,
  days: Days,
  fresh: Duration.DurationInput,
  stale: Duration.DurationInput
) =>
  Effect.gen(function* () {
    const coingecko = yield* CoinGecko
    const defillama = yield* DefiLlama

    const cache = (
      name: string,
      series: (
        id: CoinId,
        currency: Currency,
        isCached: boolean
      ) => Effect.Effect<Option.Option<MarketSeries>, UpstreamError>
    ) =>
      Cache.make<MarketSeries, typeof MarketSeries.Encoded, UpstreamError, never>({
        name,
        version: 1,
        schema: MarketSeries,
        fresh,
        stale,
        notFound: "10 minutes",
        failure: "30 seconds",
        // A series of a month takes about 100 kB of memory.
        capacity: 250,
        // No source returns the series of several coins in one call.
        batch: 1,
        lookup: queryCoinByCoin((key, cached) => series(...fromKey(key), cached !== undefined))
      })

    const checked = (upstream: string, raw: Option.Option<RawSeries>) =>
      Option.match(raw, {
        onNone: () => Effect.succeedNone,
        onSome: (rawSeries) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const series = validSeries(rawSeries, days, now)
            return typeof series === "string" ? of(upstream, "bad_answer", series) : Effect.succeedSome(series)
          })
      })

    const complete = yield* cache(`market-charts-${days}`, (id, currency, isCached) =>
      Effect.gen(function* () {
        // A cached series remains usable for a while; the remaining calls are reserved for series that are not cached.
        if (isCached && !Sources.isAvailable(yield* coingecko.standing)) return yield* unavailable
        const response = yield* coingecko.series(id, days, currency)
        return yield* checked(
          "coingecko",
          Option.map(response, ({ market_caps, prices, total_volumes }) => ({
            prices,
            marketCaps: market_caps,
            volumes: total_volumes
          }))
        )
      })
    )
    const pricesAlone = yield* cache(`market-charts-${days}-prices`, (id, currency) =>
      Effect.gen(function* () {
        const response = yield* Effect.transposeMapOption(yield* defillama.chart(id, days), (points) =>
          inCurrency(points, currency)
        )
        return yield* checked(
          "defillama",
          Option.map(response, (points) => ({
            prices: points.map(({ at, price }) => [at, price] as const),
            marketCaps: [],
            volumes: []
          }))
        )
      })
    )
    return { complete, pricesAlone } satisfies Caches as Caches
  })

/** Whether these series are still the cached ones. Compares them only if a cache has changed since the last call. */
const current = (
  { pricesAlone, complete }: Caches,
  found: Charts["found"],
  currency: Currency,
  until: number
): Charts["isCurrent"] => {
  let seen = -1
  return (now) => {
    if (now >= until) return false
    const version = complete.version() + pricesAlone.version()
    if (version === seen) return true
    for (const [id, series] of found) {
      const key = keyOf(id, currency)
      const best = complete.current(key, now) ?? pricesAlone.current(key, now)
      if (best !== series) return false
    }
    seen = version
    return true
  }
}
