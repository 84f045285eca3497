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
import { Decimals } from "../domain/Token.ts"
import * as declare from "../settings/declare.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../upstream/response/ResponseSize.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import { validMembers } from "./validMembers.ts"

// CoinGecko API v3 (docs.coingecko.com, demo-api.json of May 2026) and its token lists (tokens.coingecko.com).

/** The market data provider whose coin ids the API uses. */
export class CoinGecko extends Context.Tag("providers/CoinGecko")<
  CoinGecko,
  {
    /** Prices in USD of at most {@link marketsPerCall} coins; unknown ids are left out. */
    readonly markets: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Market>, UpstreamError>
    /** Market capitalisations in US dollars of the coins that were read so far, by id; reading them sends no request. */
    readonly capitalisations: Effect.Effect<ReadonlyMap<string, number>>
    /** A page (from 1) of coins by market capitalisation; empty after the last page. */
    readonly largest: (page: number) => Effect.Effect<ReadonlyArray<Market>, UpstreamError>
    /** Price, capitalisation and volume over a number of days, at the rates of each time; none for an unknown coin. */
    readonly series: (
      id: CoinId,
      days: number,
      currency?: Currency
    ) => Effect.Effect<Option.Option<MarketSeries>, UpstreamError>
    /** Candles in USD over 1, 7, 14, 30, 90, 180 or 365 days. */
    readonly candles: (id: CoinId, days: number) => Effect.Effect<Candles, UpstreamError>
    /** Details of a coin, as the text of a JSON object; none for an unknown coin. */
    readonly coin: (id: CoinId) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** Details of a coin by platform and contract. */
    readonly contract: (platform: string, address: string) => Effect.Effect<Option.Option<string>, UpstreamError>
    /** The price of one bitcoin in every currency. */
    readonly exchangeRates: Effect.Effect<ExchangeRates, UpstreamError>
    /** Every active coin with its contract addresses by platform: several megabytes. */
    readonly coins: Effect.Effect<ReadonlyArray<ListedCoin>, UpstreamError>
    /** The token list of a platform. */
    readonly tokens: (platform: string) => Effect.Effect<ReadonlyArray<ListedToken>, UpstreamError>
    /** All platforms, with their chain ids if they have any. */
    readonly platforms: Effect.Effect<ReadonlyArray<AssetPlatform>, UpstreamError>
    /** Its state and usual latency, to rank it among sources of the same data. */
    readonly standing: Effect.Effect<Standing>
    /** The plan of the operator's key, or keyless. */
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
      const capitalisations = new Map<string, number>()
      const page = (more: Readonly<Record<string, string>>) =>
        Effect.tap(
          api.read(
            request("/coins/markets", { vs_currency: "usd", per_page: String(marketsPerCall), ...more }),
            Markets
          ),
          (markets) => Effect.sync(() => remember(capitalisations, markets))
        )
      const details = (path: string) => api.over((address) => address.read(request(path), rawCoinText))
      return {
        capitalisations: Effect.succeed(capitalisations),
        markets: (ids) => page({ ids: ids.join(","), page: "1" }),
        largest: (number) => page({ order: "market_cap_desc", page: String(number) }),
        series: (id, days, currency = "usd") =>
          api.read(
            request(`/coins/${encodeURIComponent(id)}/market_chart`, { vs_currency: currency, days: String(days) }),
            wrappedInSome(MarketSeries),
            { value: Option.none() }
          ),
        candles: (id, days) =>
          api.read(
            request(`/coins/${encodeURIComponent(id)}/ohlc`, { vs_currency: "usd", days: String(days) }),
            Candles
          ),
        coin: (id) => details(`/coins/${encodeURIComponent(id)}`),
        contract: (platform, address) =>
          details(`/coins/${encodeURIComponent(platform)}/contract/${encodeURIComponent(address)}`),
        exchangeRates: api.read(request("/exchange_rates"), ExchangeRates),
        coins: api.read(request("/coins/list", { include_platform: "true" }), CoinList),
        tokens: (platform) =>
          Effect.map(lists.read(request(`/${platform}/all.json`), TokenList), ({ tokens }) => tokens),
        platforms: api.read(request("/asset_platforms"), AssetPlatforms),
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
    meaning: "Base address of the CoinGecko API; the pro host accepts pro keys, other hosts demo keys"
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
    size: ResponseSize.lists,
    rate: {
      source: "COINGECKO",
      // The keyless limit is not published. If no permit is free at once, prices are requested from another source.
      keyless: { perSecond: 0.45, burst: 12, perMonth: 10_000, maxWait: 1_000 },
      // A pro key of the smallest plan: 250 per minute.
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
    size: ResponseSize.lists,
    // The smallest list.
    canary: (address) =>
      address.read(HttpClientRequest.get("/ethereum-classic/all.json"), ResponseDecoder.fitting(TokenList))
  })
})

/** More than there are coins: an upstream that invents ids must not fill the memory. */
const maxCapitalisations = 50_000

const remember = (capitalisations: Map<string, number>, markets: ReadonlyArray<Market>): void => {
  for (const { id, market_cap } of markets)
    if (market_cap != null && (capitalisations.size < maxCapitalisations || capitalisations.has(id)))
      capitalisations.set(id, market_cap)
}

/** The largest number of ids in one call of `/coins/markets`. */
export const marketsPerCall = 250

/** Wraps the value in some, because a 404 decodes to none. */
const wrappedInSome = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.transform(schema, Schema.OptionFromSelf(Schema.typeSchema(schema)), {
    strict: false,
    decode: Option.some,
    encode: Option.getOrThrow
  })

/** Requires an id, because errors with HTTP 200 have none. */
const coinPage = ResponseDecoder.fitting(
  wrappedInSome(Schema.Struct({ id: Schema.NonEmptyString })),
  { refusal: (body) => refusal(body) },
  { value: Option.none() }
)

/** Returns the text itself: parsing and serialising it would change numbers. */
const rawCoinText: ResponseDecoder.Decoder<Option.Option<string>> = (response) =>
  Either.map(coinPage(response), Option.as(response.text))

/** Errors have the form `{error}`, `{status}` or `{error: {status}}`, sometimes with HTTP 200. */
const refusal = (body: unknown): Fault | undefined => {
  const code = errorCode(body)
  // The plan has no data for that time: the provider works, and a retry would fail again.
  if (code === 10012) return { reason: "upstream_error", detail: "does not provide data of that long ago", final: true }
  if (code === 429) return { reason: "rate_limited", detail: "rate limit reached" }
  return code !== undefined && keyRefused.includes(code)
    ? { reason: "upstream_error", detail: `the API key is missing or not accepted (${code})` }
    : undefined
}

/** Codes of a missing key, or of a key that the plan or the host rejects: pro keys are only for the pro host. */
const keyRefused = [10002, 10005, 10010, 10011]

const errorCode = (body: unknown, depth = 3): number | undefined => {
  if (typeof body === "number") return body
  if (depth === 0 || !Predicate.isRecord(body)) return undefined
  return errorCode(body.error_code, 0) ?? errorCode(body.status, depth - 1) ?? errorCode(body.error, depth - 1)
}

/** A row of `/coins/markets`; unknown values are null. */
const Market = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  name: Schema.String,
  image: Schema.NullishOr(Schema.String),
  current_price: Schema.NullOr(Schema.Number),
  market_cap: Schema.NullishOr(Schema.Number),
  fully_diluted_valuation: Schema.NullishOr(Schema.Number),
  price_change_24h: Schema.NullishOr(Schema.Number),
  price_change_percentage_24h: Schema.NullishOr(Schema.Number),
  /** ISO 8601. */
  last_updated: Schema.NullishOr(Schema.String)
})
export type Market = typeof Market.Type

/** A row of `/coins/list?include_platform=true`; native coins have no platforms, wrong rows an empty address. */
export interface ListedCoin extends Readonly<Record<"id" | "symbol" | "name", string>> {
  readonly platforms: Readonly<Record<string, string | null>>
}

/** Checks one of 20,000 rows, for which a schema takes ten times as long. */
const isListedCoin = (row: unknown): row is ListedCoin =>
  Predicate.isRecord(row) &&
  [row.id, row.symbol, row.name].every(Predicate.isString) &&
  Predicate.isRecord(row.platforms) &&
  Object.values(row.platforms).every((address) => address === null || typeof address === "string")

const ListedToken = Schema.Struct({
  address: Schema.NonEmptyString,
  name: Schema.String,
  symbol: Schema.String,
  decimals: Decimals,
  logoURI: Schema.NullishOr(Schema.String)
})
export type ListedToken = typeof ListedToken.Type

const AssetPlatform = Schema.Struct({
  id: Schema.String,
  chain_identifier: Schema.NullOr(Schema.Number),
  native_coin_id: Schema.NullishOr(Schema.String)
})
export type AssetPlatform = typeof AssetPlatform.Type

/** Keeps the rows that match the schema: the community data has malformed rows, which must not fail the others. */
const lenient = <A>(decode: (row: unknown) => Option.Option<A>) => {
  // Skips a second check of decoded rows, which would take as long as decoding.
  const rows = Schema.declare((rows): rows is ReadonlyArray<A> => Array.isArray(rows))
  return Schema.transform(Schema.Array(Schema.Unknown), rows, {
    decode: (rows) => rows.flatMap((row) => Option.toArray(decode(row))),
    encode: (rows) => rows
  })
}

const decodeMarket = Schema.decodeUnknownOption(Market)

/** Fails if rows exist but none matches: then the response is not from CoinGecko. */
const Markets = Schema.compose(
  Schema.Array(Schema.Unknown).pipe(
    Schema.filter((rows) => rows.length === 0 || rows.some((row) => Option.isSome(decodeMarket(row))))
  ),
  lenient(decodeMarket)
)
const CoinList = lenient(Option.liftPredicate(isListedCoin))
const TokenList = Schema.Struct({ tokens: lenient(Schema.decodeUnknownOption(ListedToken)) })
const AssetPlatforms = lenient(Schema.decodeUnknownOption(AssetPlatform))

/** Pairs of a time in ms and a number, or null if the provider has no value. */
const Points = Schema.Array(Schema.Tuple(Schema.Number, Schema.NullOr(Schema.Number)))

/** `/coins/{id}/market_chart`: points at irregular times; the last point is current. */
const MarketSeries = Schema.Struct({ prices: Points, market_caps: Points, total_volumes: Points })
type MarketSeries = typeof MarketSeries.Type

/** `/coins/{id}/ohlc`: rows of the candle's END in ms, open, high, low and close. */
const Candles = Schema.Array(Schema.Tuple(Schema.Number, Schema.Number, Schema.Number, Schema.Number, Schema.Number))
type Candles = typeof Candles.Type

/** `/exchange_rates`: the price of one bitcoin per currency, by lower-case currency code. */
const ExchangeRates = Schema.Struct({
  rates: validMembers(Schema.Struct({ value: Schema.Number, type: Schema.String }))
})
type ExchangeRates = typeof ExchangeRates.Type
