import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../api/Api.ts"
import { ReadyAnswers } from "../ready/ReadyAnswers.ts"
import * as ChainAnswers from "./chainAnswers.ts"
import * as Charts from "./chartHandlers.ts"
import * as CoinAnswers from "./coinAnswers.ts"
import { PriceRefresh } from "./PriceRefresh.ts"

const routes = HttpApiBuilder.group(Api, "price", (handlers) =>
  Effect.gen(function* () {
    const ready = yield* ReadyAnswers
    const ofChains = yield* ChainAnswers.make
    const ofCoins = yield* CoinAnswers.make
    const charts = yield* Charts.make
    return handlers
      .handleRaw("byChain", ({ request, urlParams: { currency = "usd", network_ids } }) =>
        Effect.flatMap(ofChains(network_ids, currency), (answer) => ready.respond(request, answer))
      )
      .handleRaw("byCoin", ({ request, urlParams: { coin_ids, currency = "usd" } }) =>
        Effect.flatMap(ofCoins(coin_ids, currency), (answer) => ready.respond(request, answer))
      )
      .handleRaw("marketChart", ({ request, urlParams: { coin_ids, days } }) =>
        charts.marketChart(request, coin_ids, days)
      )
      .handleRaw("nativeDetails", ({ path: { platform }, request }) => charts.nativeDetails(request, platform))
      .handleRaw("tokenDetails", ({ path: { contract, platform }, request }) =>
        charts.tokenDetails(request, platform, contract)
      )
  })
)

/** Prices are refreshed for as long as there are routes that serve them. */
export const layer = Layer.merge(
  routes,
  Layer.scopedDiscard(Effect.flatMap(PriceRefresh, ({ keepFresh }) => Effect.forkScoped(keepFresh)))
)
