import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { CoinId } from "../../../src/domain/CoinId.ts"
import { MarketCharts } from "../../../src/features/prices/MarketCharts.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { DefiLlama } from "../../../src/providers/DefiLlama.ts"
import { type DayRates, Frankfurter } from "../../../src/providers/Frankfurter.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { CurrentPriority, type Priority } from "../../../src/upstream/Priority.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { standing } from "../../support/standing.ts"

type Series = Effect.Effect.Success<ReturnType<typeof CoinGecko.Service.series>>
type Points = Effect.Effect.Success<ReturnType<typeof DefiLlama.Service.chart>>

export const down = (upstream: string) =>
  Effect.fail(new UpstreamError({ upstream, reason: "upstream_error", detail: "could not be reached" }))

/** A series of three points that ends now; the last price is the number of requests. */
export const wholeSeries = (count: number) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now): Series =>
      Option.some({
        prices: [
          [now - 600_000, 1.39852e-10],
          [now - 290_000, 20],
          [now, count]
        ],
        market_caps: [[now, 1_215_000_000_000.5]],
        total_volumes: [[now, 0]]
      })
  )

export const pricesOnly = Effect.map(
  Clock.currentTimeMillis,
  (now): Points =>
    Option.some([
      { at: now - 300_000, price: 7 },
      { at: now, price: 8 }
    ])
)

/** Both sources, controlled by the test, and the requests that they received. */
export const sources = () => {
  const requested: Array<string> = []
  const purposes: Array<Priority> = []
  const behaviour = {
    series: (_id: CoinId, _days: number): Effect.Effect<Series, UpstreamError> =>
      wholeSeries(requested.filter((text) => text.startsWith("coingecko")).length),
    chart: (_id: CoinId): Effect.Effect<Points, UpstreamError> => down("defillama"),
    since: (_currency: string): Effect.Effect<ReadonlyArray<DayRates>, UpstreamError> => down("frankfurter"),
    ready: { coingecko: true, defillama: true }
  }
  const recordRequest = (what: string) =>
    Effect.map(CurrentPriority, (purpose) => {
      requested.push(what)
      purposes.push(purpose)
    })
  const layer = Layer.mergeAll(
    Layer.mock(CoinGecko, {
      plan: "keyless",
      standing: standing(() => behaviour.ready.coingecko),
      series: (id, days, currency = "usd") =>
        Effect.zipRight(
          recordRequest(`coingecko ${id} ${days}${currency === "usd" ? "" : ` ${currency}`}`),
          Effect.suspend(() => behaviour.series(id, days))
        )
    }),
    Layer.mock(Frankfurter, {
      since: (currency) => Effect.suspend(() => behaviour.since(currency))
    }),
    Layer.mock(DefiLlama, {
      standing: standing(() => behaviour.ready.defillama),
      chart: (id, days) =>
        Effect.zipRight(
          recordRequest(`defillama ${id} ${days}`),
          Effect.suspend(() => behaviour.chart(id))
        )
    })
  )
  return { requested, purposes, behaviour, layer }
}

/** The service over these sources and a store. */
export const charting = (
  { layer }: ReturnType<typeof sources>,
  store: ReturnType<typeof Memory.layer> = Layer.fresh(Memory.layer())
) => Layer.fresh(MarketCharts.layer).pipe(Layer.provide(Layer.mergeAll(layer, store, Settings.layer({}))))
