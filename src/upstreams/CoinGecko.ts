import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
import * as declare from "../settings/declare.ts"
import * as Answer from "./Answer.ts"
import * as Upstream from "./Upstream.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

// CoinGecko API v3 (docs.coingecko.com, demo-api.json of May 2026) and its token lists (tokens.coingecko.com).

/** A row of `/coins/markets`; what the provider does not know is null. */
export const Market = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  name: Schema.String,
  image: Schema.NullishOr(Schema.String),
  current_price: Schema.NullOr(Schema.Number),
  fully_diluted_valuation: Schema.NullishOr(Schema.Number),
  price_change_24h: Schema.NullishOr(Schema.Number),
  price_change_percentage_24h: Schema.NullishOr(Schema.Number),
  /** ISO 8601. */
  last_updated: Schema.NullishOr(Schema.String)
})
export type Market = typeof Market.Type

/** A row of `/coins/list?include_platform=true`; a native coin has no platforms, a wrong row an empty address. */
const ListedCoin = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  name: Schema.String,
  platforms: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })
})
export type ListedCoin = typeof ListedCoin.Type

const ListedToken = Schema.Struct({
  address: Schema.NonEmptyString,
  name: Schema.String,
  symbol: Schema.String,
  decimals: Schema.Int.pipe(Schema.between(0, 255)),
  logoURI: Schema.NullishOr(Schema.String)
})
export type ListedToken = typeof ListedToken.Type

const AssetPlatform = Schema.Struct({
  id: Schema.String,
  chain_identifier: Schema.NullOr(Schema.Number),
  native_coin_id: Schema.NullishOr(Schema.String)
})
export type AssetPlatform = typeof AssetPlatform.Type

/** The elements that fit; community data has odd rows, and one of them must not cost the others. */
const lenient = <A, I>(element: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(element)
  return Schema.transform(Schema.Array(Schema.Unknown), Schema.Array(Schema.typeSchema(element)), {
    strict: false,
    decode: (rows) => rows.flatMap((row) => Option.toArray(decode(row))),
    encode: (rows) => rows
  })
}

const Markets = lenient(Market)
const CoinList = lenient(ListedCoin)
const TokenList = Schema.Struct({ tokens: lenient(ListedToken) })
const AssetPlatforms = lenient(AssetPlatform)

/** The market data provider whose coin ids the interface uses. */
export class CoinGecko extends Context.Tag("upstreams/CoinGecko")<
  CoinGecko,
  {
    /** Prices in USD of at most {@link marketsPerCall} coins; ids it does not know are left out. */
    readonly markets: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Market>, UpstreamError>
    /** Every active coin with its contract addresses by platform. Some megabytes. */
    readonly coins: Effect.Effect<ReadonlyArray<ListedCoin>, UpstreamError>
    /** The token list of a platform. */
    readonly tokens: (platform: string) => Effect.Effect<ReadonlyArray<ListedToken>, UpstreamError>
    /** All platforms, with their chain ids where they have any. */
    readonly platforms: Effect.Effect<ReadonlyArray<AssetPlatform>, UpstreamError>
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
      const api = yield* Upstream.make({
        name: "coingecko",
        urls: [url],
        concurrency: 4,
        rate: {
          source: "COINGECKO",
          // No number is published for keyless calls. A price that cannot be had at once is another source's matter.
          keyless: { perSecond: 0.45, burst: 12, patience: 1_000 },
          keyed: { perSecond: 0.45, burst: 30, patience: 1_000 }
        },
        refusal,
        canary: (address) =>
          address.ask(
            HttpClientRequest.get("/ping"),
            Answer.fitting(Schema.Struct({ gecko_says: Schema.String }), { refusal })
          ),
        ...(key === undefined
          ? {}
          : { keys: { [url.includes("//pro-api.") ? "x-cg-pro-api-key" : "x-cg-demo-api-key"]: key } })
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
        // The smallest list there is.
        canary: (address) => address.ask(HttpClientRequest.get("/ethereum-classic/all.json"), Answer.fitting(TokenList))
      })
      return {
        markets: (ids) =>
          api.read(
            HttpClientRequest.get("/coins/markets").pipe(
              HttpClientRequest.setUrlParams({
                vs_currency: "usd",
                ids: ids.join(","),
                per_page: String(marketsPerCall),
                page: "1"
              })
            ),
            Markets
          ),
        coins: api.read(
          HttpClientRequest.get("/coins/list").pipe(HttpClientRequest.setUrlParams({ include_platform: "true" })),
          CoinList
        ),
        tokens: (platform) =>
          Effect.map(lists.read(HttpClientRequest.get(`/${platform}/all.json`), TokenList), ({ tokens }) => tokens),
        platforms: api.read(HttpClientRequest.get("/asset_platforms"), AssetPlatforms)
      }
    })
  )
}

/** The most ids that one call of `/coins/markets` answers. */
export const marketsPerCall = 250

/** Errors come as `{error}`, `{status}` or `{error: {status}}`, now and then with HTTP 200. */
const refusal = (body: unknown): Fault | undefined => {
  const code = errorCode(body)
  if (code === 429) return { reason: "rate_limited", detail: "asks for fewer calls" }
  return code !== undefined && keyRefused.includes(code)
    ? { reason: "upstream_error", detail: `refuses the API key, or there is none (${code})` }
    : undefined
}

/** No key, one that the plan or the host does not take: a pro key belongs to the pro host, a demo key to the other. */
const keyRefused = [10002, 10005, 10010, 10011]

const errorCode = (body: unknown, depth = 3): number | undefined => {
  if (typeof body === "number") return body
  if (depth === 0 || !Predicate.isRecord(body)) return undefined
  return errorCode(body.error_code, 0) ?? errorCode(body.status, depth - 1) ?? errorCode(body.error, depth - 1)
}
