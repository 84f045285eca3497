import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { Charts } from "../../src/features/charts/Charts.ts"
import { ExchangeRates } from "../../src/features/prices/currencies/ExchangeRates.ts"
import { PriceRefresh } from "../../src/features/prices/PriceRefresh.ts"
import { Pricing } from "../../src/features/prices/Pricing.ts"
import { Binance } from "../../src/providers/Binance.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { DefiLlama } from "../../src/providers/DefiLlama.ts"
import { Frankfurter } from "../../src/providers/Frankfurter.ts"
import { type RegisteredToken, TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { chainsOf } from "./chains.ts"
import { json, type Reply, refused, type SentRequest, simulatedClient } from "./http.ts"

/** The upstream and route of a request for prices, charts or rates. */
export type Route = "coingecko page" | "coingecko ids" | "coingecko ohlc" | "coingecko rates" | "defillama" | "binance"

const routeOf = ({ url }: SentRequest): Route | undefined => {
  if (url.host === "coins.llama.fi") return "defillama"
  if (url.host === "api.binance.com") return "binance"
  if (url.pathname.endsWith("/ohlc")) return "coingecko ohlc"
  if (url.pathname.endsWith("/exchange_rates")) return "coingecko rates"
  if (url.pathname.endsWith("/coins/markets")) return url.searchParams.has("ids") ? "coingecko ids" : "coingecko page"
  return undefined
}

const idsOf = ({ url }: SentRequest) => (url.searchParams.get("ids") ?? "").split(",").filter((coin) => coin !== "")

const keysOf = ({ url }: SentRequest) => decodeURIComponent(url.pathname).replace("/prices/current/", "").split(",")

/** `count` tokens of a platform, each with its own coin. */
export const tokens = (platform: string, count: number, prefix = "token"): ReadonlyArray<RegisteredToken> =>
  Array.from({ length: count }, (_, index) => ({
    address: `0x${(index + 1).toString(16).padStart(40, "0")}`,
    coinId: CoinId.make(`${prefix}-${platform}-${index}`),
    name: `Token ${index}`,
    symbol: `T${index}`,
    decimals: 18,
    thumbnail: ""
  }))

/**
 * Simulated sources: `usd` is the price of a coin, routes in `down` refuse connections, `calls` counts requests by
 * route.
 */
export const market = (usd: (coin: string) => number | undefined = () => 2.5) => {
  const calls = new Map<Route, number>()
  const requested: Array<readonly [Route, ReadonlyArray<string>]> = []
  const down = new Set<Route>()
  const row = (coin: string, now: number) => {
    const price = usd(coin)
    return price === undefined
      ? []
      : [
          {
            id: coin,
            symbol: coin.slice(0, 4),
            name: `The ${coin}`,
            image: `https://icons.example/${coin}.png`,
            current_price: price,
            fully_diluted_valuation: 1e9,
            price_change_24h: 0.1,
            price_change_percentage_24h: 4,
            last_updated: new Date(now - 30_000).toISOString()
          }
        ]
  }
  const candle = (now: number, step: number, count: number) =>
    Array.from({ length: count }, (_, index) => [
      Math.floor(now / step) * step - (count - 1 - index) * step,
      2,
      3,
      1,
      2.5
    ])
  const reply = (request: SentRequest, route: Route, now: number): Reply => {
    switch (route) {
      case "coingecko page": {
        const page = Number(request.url.searchParams.get("page"))
        return json(
          Array.from({ length: 250 }, (_, index) => `large-${(page - 1) * 250 + index}`).flatMap((coin) =>
            row(coin, now)
          )
        )
      }
      case "coingecko ids":
        return json(idsOf(request).flatMap((coin) => row(coin, now)))
      case "coingecko ohlc": {
        const days = request.url.searchParams.get("days")
        const hour = 3_600_000
        return json(
          days === "1"
            ? candle(now, hour / 2, 48)
            : days === "30"
              ? candle(now, 4 * hour, 180)
              : candle(now, 96 * hour, 92)
        )
      }
      case "coingecko rates":
        return json({ rates: { usd: { value: 60_000, type: "fiat" }, eur: { value: 54_000, type: "fiat" } } })
      case "defillama":
        return json({
          coins: Object.fromEntries(
            keysOf(request).flatMap((key) => {
              const price = key.startsWith("coingecko:") ? usd(key.slice("coingecko:".length)) : undefined
              return price === undefined
                ? []
                : [[key, { price, timestamp: Math.floor(now / 1000) - 60, symbol: "X", confidence: 0.99 }]]
            })
          )
        })
      default:
        return json([])
    }
  }
  const outside = simulatedClient((request) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const route = routeOf(request)
      if (route === undefined) return refused
      calls.set(route, (calls.get(route) ?? 0) + 1)
      requested.push([route, route === "defillama" ? keysOf(request) : idsOf(request)])
      return down.has(route) ? refused : reply(request, route, now)
    })
  )
  return { requested, calls, down, outside }
}

/**
 * The use cases of prices and charts over these sources, with real budgets; `lists` are the token lists by platform.
 */
export const priced = (
  { outside }: ReturnType<typeof market>,
  lists: Readonly<Record<string, ReadonlyArray<RegisteredToken>>>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      yield* Effect.forkScoped((yield* PriceRefresh).keepFresh)
      yield* Effect.forkScoped((yield* Charts).keepFresh)
    })
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(PriceRefresh.layer, ExchangeRates.layer, Charts.layer)),
    Layer.provideMerge(chainsOf(Catalogue.all.map((facts) => ({ facts })))),
    Layer.provideMerge(Pricing.layer),
    Layer.provideMerge(TokenRegistry.layerTest(lists)),
    Layer.provideMerge(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer, Frankfurter.layer)),
    Layer.provideMerge(Upstreams.layerStored),
    Layer.fresh,
    Layer.provide([outside.layer, Settings.layer(environment)])
  )
