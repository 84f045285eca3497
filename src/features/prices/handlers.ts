import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import type { CurrencyRate } from "../../contract/prices/currencies.ts"
import { type Currency, currencies, facts } from "../../domain/Currency.ts"
import { ResponseCache } from "../../http/response/ResponseCache.ts"
import { forkBackground } from "../../kernel/Background.ts"
import * as ChainPriceHandlers from "./ChainPriceHandlers.ts"
import * as CoinPriceHandlers from "./CoinPriceHandlers.ts"
import { ExchangeRates } from "./currencies/ExchangeRates.ts"
import { noRate } from "./currencies/noRate.ts"
import * as MarketChartHandlers from "./MarketChartHandlers.ts"
import { PriceRefresh } from "./PriceRefresh.ts"

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
    const charts = yield* MarketChartHandlers.make
    const listed = yield* currencyRates
    return handlers
      .handleRaw("byChain", ({ request, urlParams: { currency = "usd", network_ids } }) =>
        Effect.flatMap(ofChains(network_ids, currency), (answer) => ready.respond(request, answer))
      )
      .handleRaw("byCoin", ({ request, urlParams: { coin_ids, currency = "usd" } }) =>
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
