import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Decimals } from "../domain/Token.ts"

// The responses of CoinGecko's API v3 (docs.coingecko.com, demo-api.json of May 2026).

/** A row of `/coins/markets`; unknown values are null. */
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

/** The rows that fit the schema; community data has malformed rows, which must not fail the others. */
const lenient = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(row)
  // Decoded rows are not checked again, which would take as long as decoding.
  const rows = Schema.declare((rows): rows is ReadonlyArray<A> => Array.isArray(rows))
  return Schema.transform(Schema.Array(Schema.Unknown), rows, {
    decode: (rows) => rows.flatMap((row) => Option.toArray(decode(row))),
    encode: (rows) => rows
  })
}

const decodeMarket = Schema.decodeUnknownOption(Market)

/** Where no row fits, the response is not that of CoinGecko. */
export const Markets = Schema.compose(
  Schema.Array(Schema.Unknown).pipe(
    Schema.filter((rows) => rows.length === 0 || rows.some((row) => Option.isSome(decodeMarket(row))))
  ),
  lenient(Market)
)
export const CoinList = lenient(ListedCoin)
export const TokenList = Schema.Struct({ tokens: lenient(ListedToken) })
export const AssetPlatforms = lenient(AssetPlatform)

/** Pairs of a time in ms and a number; the provider writes null where it has none. */
const Points = Schema.Array(Schema.Tuple(Schema.Number, Schema.NullOr(Schema.Number)))

/** `/coins/{id}/market_chart`: points at irregular times, the last one current. */
export const MarketSeries = Schema.Struct({ prices: Points, market_caps: Points, total_volumes: Points })
export type MarketSeries = typeof MarketSeries.Type

/** `/coins/{id}/ohlc`: rows of a time in ms (the END of the candle), open, high, low and close. */
export const Candles = Schema.Array(
  Schema.Tuple(Schema.Number, Schema.Number, Schema.Number, Schema.Number, Schema.Number)
)
export type Candles = typeof Candles.Type

/** `/exchange_rates`: the price of a bitcoin in each currency, by the currency's code in lower case. */
export const ExchangeRates = Schema.Struct({
  rates: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ value: Schema.Number, type: Schema.String })
  })
})
export type ExchangeRates = typeof ExchangeRates.Type
