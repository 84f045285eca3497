import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
import type { Currency } from "../domain/Currency.ts"
import * as declare from "../settings/declare.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../upstream/response/ResponseSize.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import * as CoinGeckoWire from "./CoinGeckoWire.ts"

export type {
  AssetPlatform,
  ListedCoin,
  ListedToken,
  Market
} from "./CoinGeckoWire.ts"

// CoinGecko API v3 (docs.coingecko.com, demo-api.json of May 2026) and its token lists (tokens.coingecko.com).

/** The market data provider whose coin ids the interface uses. */
export class CoinGecko extends Context.Tag("providers/CoinGecko")<
  CoinGecko,
  {
    /** Prices in USD of at most {@link marketsPerCall} coins; unknown ids are left out. */
    readonly markets: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<CoinGeckoWire.Market>, UpstreamError>
    /** The coins of a page, from 1, by market capitalisation; past the last page there are none. */
    readonly largest: (page: number) => Effect.Effect<ReadonlyArray<CoinGeckoWire.Market>, UpstreamError>
    /** Price, capitalisation and volume over this number of days, in a currency of that time; none for an unknown coin. */
    readonly series: (
      id: CoinId,
      days: number,
      currency?: Currency
    ) => Effect.Effect<Option.Option<CoinGeckoWire.MarketSeries>, UpstreamError>
    /** Candles in USD over 1, 7, 14, 30, 90, 180 or 365 days. */
    readonly candles: (id: CoinId, days: number) => Effect.Effect<CoinGeckoWire.Candles, UpstreamError>
    /** Its details of a coin, as the text of a JSON object; none for an unknown coin. */
    readonly coin: (id: CoinId) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** The same by platform and contract. */
    readonly contract: (platform: string, address: string) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** The price of a bitcoin in every currency. */
    readonly exchangeRates: Effect.Effect<CoinGeckoWire.ExchangeRates, UpstreamError>
    /** Every active coin with its contract addresses by platform. Some megabytes. */
    readonly coins: Effect.Effect<ReadonlyArray<CoinGeckoWire.ListedCoin>, UpstreamError>
    /** The token list of a platform. */
    readonly tokens: (platform: string) => Effect.Effect<ReadonlyArray<CoinGeckoWire.ListedToken>, UpstreamError>
    /** All platforms, with their chain ids where they have any. */
    readonly platforms: Effect.Effect<ReadonlyArray<CoinGeckoWire.AssetPlatform>, UpstreamError>
    /** Its standing among other sources of the same data. */
    readonly standing: Effect.Effect<Standing>
    /** Whether an operator's key is used, and for which plan. */
    readonly plan: "keyless" | "demo" | "pro"
  }
>() {
  static readonly layer = Layer.effect(
    CoinGecko,
    Effect.gen(function* () {
      const { api, plan } = yield* marketApi
      const lists = yield* tokenLists
      const request = (path: string, parameters: Readonly<Record<string, string>> = {}) =>
        HttpClientRequest.get(path).pipe(HttpClientRequest.setUrlParams(parameters))
      const page = (more: Readonly<Record<string, string>>) =>
        api.read(
          request("/coins/markets", { vs_currency: "usd", per_page: String(marketsPerCall), ...more }),
          CoinGeckoWire.Markets
        )
      const details = (path: string) => api.over((address) => address.read(request(path), untouched))
      return {
        markets: (ids) => page({ ids: ids.join(","), page: "1" }),
        largest: (number) => page({ order: "market_cap_desc", page: String(number) }),
        series: (id, days, currency = "usd") =>
          api.read(
            request(`/coins/${encodeURIComponent(id)}/market_chart`, { vs_currency: currency, days: String(days) }),
            known(CoinGeckoWire.MarketSeries),
            { value: Option.none() }
          ),
        candles: (id, days) =>
          api.read(
            request(`/coins/${encodeURIComponent(id)}/ohlc`, { vs_currency: "usd", days: String(days) }),
            CoinGeckoWire.Candles
          ),
        coin: (id) => details(`/coins/${encodeURIComponent(id)}`),
        contract: (platform, address) =>
          details(`/coins/${encodeURIComponent(platform)}/contract/${encodeURIComponent(address)}`),
        exchangeRates: api.read(request("/exchange_rates"), CoinGeckoWire.ExchangeRates),
        coins: api.read(request("/coins/list", { include_platform: "true" }), CoinGeckoWire.CoinList),
        tokens: (platform) =>
          Effect.map(lists.read(request(`/${platform}/all.json`), CoinGeckoWire.TokenList), ({ tokens }) => tokens),
        platforms: api.read(request("/asset_platforms"), CoinGeckoWire.AssetPlatforms),
        standing: api.standing,
        plan
      }
    })
  )
}

const marketApi = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "COINGECKO_URL",
    default: "https://api.coingecko.com/api/v3",
    meaning: "Base address of the CoinGecko API; the pro host takes pro keys, any other demo keys"
  })
  const key = yield* declare.secret({
    name: "COINGECKO_API_KEY",
    allowed: "a demo key for the public host, a pro key for the pro host",
    meaning: "CoinGecko API key"
  })
  const isPro = url.includes("//pro-api.")
  const api = yield* Upstream.make({
    name: "coingecko",
    urls: [url],
    concurrency: 4,
    size: ResponseSize.lists,
    rate: {
      source: "COINGECKO",
      // No number is published for keyless calls. Prices without a permit at once are requested from another source.
      keyless: { perSecond: 0.45, burst: 12, perMonth: 10_000, maxWait: 1_000 },
      // A pro key of the smallest plan: 250 a minute.
      keyed: isPro
        ? { perSecond: 4, burst: 10, perMonth: 100_000, maxWait: 1_000 }
        : { perSecond: 0.45, burst: 30, perMonth: 10_000, maxWait: 1_000 }
    },
    refusal,
    canary: (address) =>
      address.read(
        HttpClientRequest.get("/ping"),
        ResponseDecoder.fitting(Schema.Struct({ gecko_says: Schema.String }), { refusal })
      ),
    ...(key === undefined ? {} : { keys: { [isPro ? "x-cg-pro-api-key" : "x-cg-demo-api-key"]: key } })
  })
  return { api, plan: key === undefined ? "keyless" : isPro ? "pro" : "demo" } as const
})

/** The upstream of the token lists. */
export const tokenListsName = "coingecko-tokens"

const tokenLists = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "COINGECKO_TOKENS_URL",
    default: "https://tokens.coingecko.com",
    meaning: "Base address of CoinGecko's token lists"
  })
  return yield* Upstream.make({
    name: tokenListsName,
    urls: [url],
    concurrency: 4,
    size: ResponseSize.lists,
    // The smallest list there is.
    canary: (address) =>
      address.read(
        HttpClientRequest.get("/ethereum-classic/all.json"),
        ResponseDecoder.fitting(CoinGeckoWire.TokenList)
      )
  })
})

/** The largest number of ids in one call of `/coins/markets`. */
export const marketsPerCall = 250

/** A value that is none where the response is a 404. */
const known = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.transform(schema, Schema.OptionFromSelf(Schema.typeSchema(schema)), {
    strict: false,
    decode: Option.some,
    encode: Option.getOrThrow
  })

/** An error with HTTP 200 has no id. */
const coinPage = ResponseDecoder.fitting(
  known(Schema.Struct({ id: Schema.NonEmptyString })),
  { refusal: (body) => refusal(body) },
  { value: Option.none() }
)

/** The text itself: parsing it and writing it again would change numbers. */
const untouched: ResponseDecoder.Decoder<Option.Option<string>> = (response) =>
  Either.map(coinPage(response), Option.as(response.text))

/** Errors have the form `{error}`, `{status}` or `{error: {status}}`, sometimes with HTTP 200. */
const refusal = (body: unknown): Fault | undefined => {
  const code = errorCode(body)
  // The plan has no data of that time: the provider works, and a retry would fail in the same way.
  if (code === 10012) return { reason: "upstream_error", detail: "does not provide data of that long ago", final: true }
  if (code === 429) return { reason: "rate_limited", detail: "rate limit reached" }
  return code !== undefined && keyRefused.includes(code)
    ? { reason: "upstream_error", detail: `the API key is missing or not accepted (${code})` }
    : undefined
}

/** A missing key, or one that the plan or the host refuses: a pro key is for the pro host, a demo key for the other. */
const keyRefused = [10002, 10005, 10010, 10011]

const errorCode = (body: unknown, depth = 3): number | undefined => {
  if (typeof body === "number") return body
  if (depth === 0 || !Predicate.isRecord(body)) return undefined
  return errorCode(body.error_code, 0) ?? errorCode(body.status, depth - 1) ?? errorCode(body.error, depth - 1)
}
