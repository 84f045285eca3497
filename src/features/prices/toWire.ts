import type { CoinPrice } from "../../contract/prices/PricesApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import type { CoinFacts } from "./CoinFacts.ts"
import { noPrice } from "./noPrice.ts"

/** A price in the response, in a currency of which one US dollar is worth `rate`. */
export const toRow = (price: Price, rate: number, fallback?: CoinFacts): CoinPrice => ({
  id: price.coinId,
  name: price.name ?? fallback?.name ?? "",
  symbol: price.symbol ?? fallback?.symbol ?? "",
  fdv: price.fdv === undefined ? null : price.fdv * rate,
  price: price.usd * rate,
  priceChange24h: price.change24h === undefined ? null : price.change24h * rate,
  priceChangePercent24h: price.changePercent24h ?? null,
  img: price.image ?? fallback?.image ?? "",
  source: price.source,
  updatedAt: price.updatedAt
})

/** A coin without a current price, and the reason. */
export const toRowWithout = (id: CoinId, reason: Reason, facts: CoinFacts | undefined): CoinPrice => ({
  id,
  name: facts?.name ?? "",
  symbol: facts?.symbol ?? "",
  fdv: null,
  price: null,
  priceChange24h: null,
  priceChangePercent24h: null,
  img: facts?.image ?? "",
  source: "",
  updatedAt: null,
  error: noPrice(reason),
  errorCode: reason
})
