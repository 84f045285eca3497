import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { UpstreamFailed } from "../../contract/Problem.ts"
import type { CoinPrice } from "../../contract/prices/PricesApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { type Currency, facts } from "../../domain/Currency.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import { headerOf } from "../../http/response/partialFailures.ts"
import type { CachedResponse } from "../../http/response/ResponseCache.ts"
import { span } from "../../kernel/span.ts"
import type { CoinFacts } from "./CoinFacts.ts"
import { type ExchangeRate, ExchangeRates, significant } from "./currencies/ExchangeRates.ts"
import { noPrice } from "./Prices.ts"
import { type PriceMemory, type Prices, Pricing } from "./Pricing.ts"

const times = (usd: number, rate: number) => (rate === 1 ? usd : significant(usd * rate))

/** The currency of a price; omitted for US dollars. */
const named = (currency: Currency) => (currency === "usd" ? {} : { currency })

/** The exchange rate of a response, and 24 hours earlier if the currency is a coin. */
export type Rate = Pick<ExchangeRate, "perUsd" | "perUsdDayAgo">

/** The change of a price over 24 hours in the currency. The rate of a coin changes as much as a price. */
const changesOf = ({ change24h, changePercent24h, usd }: Price, currency: Currency, { perUsd, perUsdDayAgo }: Rate) => {
  if (facts[currency].kind !== "coin")
    return {
      priceChange24h: change24h === undefined ? null : times(change24h, perUsd),
      priceChangePercent24h: changePercent24h ?? null
    }
  const before = change24h === undefined || perUsdDayAgo === undefined ? 0 : (usd - change24h) * perUsdDayAgo
  if (!(before > 0)) return { priceChange24h: null, priceChangePercent24h: null }
  const change = usd * perUsd - before
  return { priceChange24h: significant(change), priceChangePercent24h: significant((100 * change) / before) }
}

/** A price in the response, converted to a currency. */
export const toRow = (price: Price, currency: Currency, rate: Rate, fallback?: CoinFacts): CoinPrice => ({
  id: price.coinId,
  name: price.name ?? fallback?.name ?? "",
  symbol: price.symbol ?? fallback?.symbol ?? "",
  fdv: price.fdv === undefined ? null : times(price.fdv, rate.perUsd),
  price: times(price.usd, rate.perUsd),
  ...named(currency),
  ...changesOf(price, currency, rate),
  img: price.image ?? fallback?.image ?? "",
  source: price.source,
  updatedAt: price.updatedAt
})

/** A coin without a current price, with the reason. */
const toRowWithout = (id: CoinId, reason: Reason, facts: CoinFacts | undefined): CoinPrice => ({
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

/** How long a response is served before the sources are checked for newer prices, ms. */
const recheckAfter = 5_000

interface CoinPrices extends Prices {
  readonly ids: ReadonlyArray<CoinId>
  readonly names: ReadonlyMap<CoinId, CoinFacts>
  readonly currency: Currency
  readonly rate: Rate
}

/** The responses of GET /price/coin. */
export const make = Effect.gen(function* () {
  const pricing = yield* Pricing
  const rates = yield* ExchangeRates
  const memory = yield* pricing.memory
  return Effect.fnUntraced(function* (coinIds: ReadonlyArray<CoinId>, currency: Currency) {
    const ids = [...new Set(coinIds)].sort()
    // Without a rate the request fails immediately, without waiting for prices.
    const [rate, prices] = yield* Effect.all([rateOf(rates, currency), Effect.disconnect(pricing.prices(ids))], {
      concurrency: 2
    })
    const names = yield* pricing.facts(ids.filter((id) => prices.found.get(id)?.name === undefined))
    const now = yield* Clock.currentTimeMillis
    let until = now + recheckAfter
    for (const price of prices.found.values()) until = Math.min(until, memory.expires(price))
    const rows = rowsOf({ ...prices, ids, names, currency, rate })
    return {
      body: new TextEncoder().encode(JSON.stringify(rows)),
      headers: missingCoins(ids.filter((id) => rows[id] === undefined).map(unknownCoin)),
      // A copy in a client or proxy must not outlive a price.
      maxAge: until < now + recheckAfter ? 0 : recheckAfter / 1000,
      isCurrent: unchanged(memory, ids, prices, until)
    } satisfies CachedResponse
  }, span("Prices.byCoin"))
})

/** A coin of a request that has no price or series in the body. */
interface MissingCoin {
  readonly coin: string
  /** For people. */
  readonly message: string
  /** For programs. */
  readonly errorCode: string
}

export const unknownCoin = (coin: CoinId): MissingCoin => ({
  coin,
  message: "no source has a coin with this id",
  errorCode: "unknown_coin"
})

/** The header field about coins that are missing; if there are many, with their codes as messages. */
export const missingCoins = (coins: ReadonlyArray<MissingCoin>): Readonly<Record<string, string>> =>
  headerOf<Partial<MissingCoin>>(
    coins.map((full) => ({ full, short: { coin: full.coin, message: full.errorCode } })),
    (count) => ({ coin: "*", message: `and ${count} more` })
  )

/** Whether a response is current: until that time, while its prices in memory are unchanged. */
const unchanged = (memory: PriceMemory, ids: ReadonlyArray<CoinId>, { found }: Prices, until: number) => {
  // Undefined at first, because a price may have changed since it was read.
  let version: number | undefined
  return (now: number) => {
    if (now >= until) return false
    const newest = memory.version()
    if (newest !== version && ids.some((id) => memory.current(id, now) !== found.get(id))) return false
    version = newest
    return true
  }
}

/** Omits coins that no source knows; a known coin without a current price has a row with the reason. */
const rowsOf = ({ currency, found, ids, missing, names, rate }: CoinPrices) => {
  const rows: Array<readonly [CoinId, CoinPrice]> = []
  for (const id of ids) {
    const price = found.get(id)
    const reason = missing.get(id) ?? "no_price"
    if (price !== undefined) rows.push([id, toRow(price, currency, rate, names.get(id))])
    else if (reason !== "no_price" || names.has(id)) rows.push([id, toRowWithout(id, reason, names.get(id))])
  }
  return Object.fromEntries(rows) as Readonly<Record<CoinId, CoinPrice | undefined>>
}

/** The exchange rate of the requested currency. */
export const rateOf = (rates: typeof ExchangeRates.Service, currency: Currency) =>
  Effect.mapError(
    rates.of(currency),
    () =>
      new UpstreamFailed({
        detail: `The exchange rate of ${currency} is not available at the moment; prices in usd are available.`
      })
  )
