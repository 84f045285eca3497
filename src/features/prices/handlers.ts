import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import { ResponseCache } from "../../http/response/ResponseCache.ts"
import { forkBackground } from "../../kernel/Background.ts"
import * as ChainPriceHandlers from "./ChainPriceHandlers.ts"
import * as CoinPriceHandlers from "./CoinPriceHandlers.ts"
import * as CurrencyHandlers from "./CurrencyHandlers.ts"
import * as MarketChartHandlers from "./MarketChartHandlers.ts"
import { PriceRefresh } from "./PriceRefresh.ts"

const routes = HttpApiBuilder.group(Api, "prices", (handlers) =>
  Effect.gen(function* () {
    const ready = yield* ResponseCache
    const ofChains = yield* ChainPriceHandlers.make
    const ofCoins = yield* CoinPriceHandlers.make
    const charts = yield* MarketChartHandlers.make
    const listed = yield* CurrencyHandlers.make
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
