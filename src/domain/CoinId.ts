import * as Schema from "effect/Schema"

/** A coin's id at the market data provider (CoinGecko), for example `bitcoin` or `usd-coin`. Compared as written. */
export const CoinId = Schema.NonEmptyTrimmedString.pipe(
  Schema.maxLength(200, { message: () => "must be at most 200 characters long" }),
  Schema.brand("CoinId")
)
export type CoinId = typeof CoinId.Type
