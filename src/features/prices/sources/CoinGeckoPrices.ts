import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Price } from "../../../domain/Price.ts"
import { span } from "../../../kernel/span.ts"
import { CoinGecko, type Market, marketsPerCall } from "../../../providers/CoinGecko.ts"
import { PriceSource } from "../PriceSource.ts"

/** `/coins/markets`: the whole price object of 250 coins in one call. */
export const layer = Layer.effect(
  PriceSource,
  Effect.map(CoinGecko, (coingecko) => ({
    name: "coingecko",
    scarce: true,
    batchSize: marketsPerCall,
    prices: Effect.fnUntraced(function* (ids) {
      // Without ids it would return all coins.
      return ids.length === 0 ? [] : toPrices(yield* coingecko.markets(ids))
    }, span("CoinGecko.prices")),
    standing: coingecko.standing
  }))
)

/** The prices of these rows; omits rows without a usable price. */
export const toPrices = (markets: ReadonlyArray<Market>): ReadonlyArray<Price> =>
  markets.flatMap((market) => Option.toArray(toPrice(market)))

const decode = Schema.decodeUnknownOption(Price)

/** `none` if the price is null, zero or of unknown age. */
const toPrice = (market: Market): Option.Option<Price> =>
  decode({
    coinId: market.id,
    usd: market.current_price,
    updatedAt: Date.parse(market.last_updated ?? "") || undefined,
    source: "coingecko",
    name: market.name,
    symbol: market.symbol,
    ...definedOnly({
      image: market.image,
      fdv: market.fully_diluted_valuation,
      change24h: market.price_change_24h,
      changePercent24h: market.price_change_percentage_24h
    })
  })

const definedOnly = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string" || Number.isFinite(value)))
