import type { CoinPrice } from "../../contract/prices/PricesApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import type { CoinFacts } from "./CoinFacts.ts"
import { significant } from "./currencies/rateTables.ts"
import { noPrice } from "./noPrice.ts"

const times = (usd: number, rate: number) => (rate === 1 ? usd : significant(usd * rate))

/** The currency of a price; omitted for US dollars. */
const named = (currency: Currency) => (currency === "usd" ? {} : { currency })

/** A price in the response, converted to a currency by `rate` (units per US dollar). */
export const toRow = (price: Price, currency: Currency, rate: number, fallback?: CoinFacts): CoinPrice => ({
  id: price.coinId,
  name: price.name ?? fallback?.name ?? "",
  symbol: price.symbol ?? fallback?.symbol ?? "",
  fdv: price.fdv === undefined ? null : times(price.fdv, rate),
  price: times(price.usd, rate),
  ...named(currency),
  priceChange24h: price.change24h === undefined ? null : times(price.change24h, rate),
  priceChangePercent24h: price.changePercent24h ?? null,
  img: price.image ?? fallback?.image ?? "",
  source: price.source,
  updatedAt: price.updatedAt
})

/** A coin without a current price, with the reason. */
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
