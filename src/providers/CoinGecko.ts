import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
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
    /** Prices in USD of at most {@link marketsPerCall} coins; ids it does not know are left out. */
    readonly markets: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<CoinGeckoWire.Market>, UpstreamError>
    /** The coins of a page, from 1, by market capitalisation; past the last page there are none. */
    readonly largest: (page: number) => Effect.Effect<ReadonlyArray<CoinGeckoWire.Market>, UpstreamError>
    /** Price, capitalisation and volume in USD over so many days; none for a coin it does not know. */
    readonly series: (
      id: CoinId,
      days: number
    ) => Effect.Effect<Option.Option<CoinGeckoWire.MarketSeries>, UpstreamError>
    /** Candles in USD over 1, 7, 14, 30, 90, 180 or 365 days. */
    readonly candles: (id: CoinId, days: number) => Effect.Effect<CoinGeckoWire.Candles, UpstreamError>
    /** Its own page of a coin, as the text of a JSON object; none for a coin it does not know. */
    readonly coin: (id: CoinId) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** The same by platform and contract. */
    readonly contract: (platform: string, address: string) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** What a bitcoin costs in every currency. */
    readonly exchangeRates: Effect.Effect<CoinGeckoWire.ExchangeRates, UpstreamError>
    /** Every active coin with its contract addresses by platform. Some megabytes. */
    readonly coins: Effect.Effect<ReadonlyArray<CoinGeckoWire.ListedCoin>, UpstreamError>
    /** The token list of a platform. */
    readonly tokens: (platform: string) => Effect.Effect<ReadonlyArray<CoinGeckoWire.ListedToken>, UpstreamError>
    /** All platforms, with their chain ids where they have any. */
    readonly platforms: Effect.Effect<ReadonlyArray<CoinGeckoWire.AssetPlatform>, UpstreamError>
    /** How it stands among other sources of the same. */
    readonly standing: Effect.Effect<Standing>
    /** Whether a key of the operator's is used, and for which plan. */
    readonly plan: "keyless" | "demo" | "pro"
  }
>() {
  static readonly layer = Layer.effect(
    CoinGecko,
    Effect.gen(function* () {
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
      const pro = url.includes("//pro-api.")
      const api = yield* Upstream.make({
        name: "coingecko",
        urls: [url],
        concurrency: 4,
        size: ResponseSize.lists,
        rate: {
          source: "COINGECKO",
          // No number is published for keyless calls. A price that cannot be had at once is another source's matter.
          keyless: { perSecond: 0.45, burst: 12, perMonth: 10_000, maxWait: 1_000 },
          // A pro key of the smallest plan: 250 a minute.
          keyed: pro
            ? { perSecond: 4, burst: 10, perMonth: 100_000, maxWait: 1_000 }
            : { perSecond: 0.45, burst: 30, perMonth: 10_000, maxWait: 1_000 }
        },
        refusal,
        canary: (address) =>
          address.read(
            HttpClientRequest.get("/ping"),
            ResponseDecoder.fitting(Schema.Struct({ gecko_says: Schema.String }), { refusal })
          ),
        ...(key === undefined ? {} : { keys: { [pro ? "x-cg-pro-api-key" : "x-cg-demo-api-key"]: key } })
      })
      const lists = yield* Upstream.make({
        name: "coingecko-tokens",
        urls: [
          yield* declare.url({
            name: "COINGECKO_TOKENS_URL",
            default: "https://tokens.coingecko.com",
            meaning: "Base address of CoinGecko's token lists"
          })
        ],
        concurrency: 4,
        size: ResponseSize.lists,
        // The smallest list there is.
        canary: (address) =>
          address.read(
            HttpClientRequest.get("/ethereum-classic/all.json"),
            ResponseDecoder.fitting(CoinGeckoWire.TokenList)
          )
      })
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
        series: (id, days) =>
          api.read(
            request(`/coins/${encodeURIComponent(id)}/market_chart`, { vs_currency: "usd", days: String(days) }),
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
        plan: key === undefined ? "keyless" : pro ? "pro" : "demo"
      }
    })
  )
}

/** The most ids that one call of `/coins/markets` answers. */
export const marketsPerCall = 250

/** An answer that a 404 would be the absence of. */
const known = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.transform(schema, Schema.OptionFromSelf(Schema.typeSchema(schema)), {
    strict: false,
    decode: Option.some,
    encode: Option.getOrThrow
  })

/** An error that came with HTTP 200 has no id. */
const coinPage = ResponseDecoder.fitting(
  known(Schema.Struct({ id: Schema.NonEmptyString })),
  { refusal: (body) => refusal(body) },
  { value: Option.none() }
)

/** The text itself: parsing and writing it again would change numbers. */
const untouched: ResponseDecoder.Decoder<Option.Option<string>> = (answer) =>
  Either.map(coinPage(answer), Option.as(answer.text))

/** Errors come as `{error}`, `{status}` or `{error: {status}}`, now and then with HTTP 200. */
const refusal = (body: unknown): Fault | undefined => {
  const code = errorCode(body)
  // The plan does not reach so far back: the provider works, and asking again would bring the same.
  if (code === 10012) return { reason: "upstream_error", detail: "does not provide data of that long ago", final: true }
  if (code === 429) return { reason: "rate_limited", detail: "rate limit reached" }
  return code !== undefined && keyRefused.includes(code)
    ? { reason: "upstream_error", detail: `the API key is missing or not accepted (${code})` }
    : undefined
}

/** No key, one that the plan or the host does not take: a pro key belongs to the pro host, a demo key to the other. */
const keyRefused = [10002, 10005, 10010, 10011]

const errorCode = (body: unknown, depth = 3): number | undefined => {
  if (typeof body === "number") return body
  if (depth === 0 || !Predicate.isRecord(body)) return undefined
  return errorCode(body.error_code, 0) ?? errorCode(body.status, depth - 1) ?? errorCode(body.error, depth - 1)
}
