import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { UpstreamFailed } from "../../contract/Problem.ts"
import type { CoinPrice } from "../../contract/prices/PricesApi.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { CachedResponse } from "../../http/response/ResponseCache.ts"
import { span } from "../../kernel/span.ts"
import type { CoinFacts } from "./CoinFacts.ts"
import { ExchangeRates } from "./currencies/ExchangeRates.ts"
import { type PriceMemory, type Prices, Pricing } from "./Pricing.ts"
import { toRow, toRowWithout } from "./toWire.ts"

/** How long a response is served before the sources are checked for newer prices, ms. */
const recheckAfter = 5_000

/** The data of a response. */
interface CoinPrices extends Prices {
  readonly ids: ReadonlyArray<CoinId>
  readonly facts: ReadonlyMap<CoinId, CoinFacts>
  readonly currency: Currency
  readonly rate: number
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
    const facts = yield* pricing.facts(ids.filter((id) => prices.found.get(id)?.name === undefined))
    const now = yield* Clock.currentTimeMillis
    let until = now + recheckAfter
    for (const price of prices.found.values()) until = Math.min(until, memory.expires(price))
    return {
      body: new TextEncoder().encode(JSON.stringify(rowsOf({ ...prices, ids, facts, currency, rate }))),
      headers: {},
      // A copy in a client or proxy must not outlive a price.
      maxAge: until < now + recheckAfter ? 0 : recheckAfter / 1000,
      isCurrent: unchanged(memory, ids, prices, until)
    } satisfies CachedResponse
  }, span("Prices.byCoin"))
})

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
const rowsOf = ({ currency, facts, found, ids, missing, rate }: CoinPrices) => {
  const rows: Array<readonly [CoinId, CoinPrice]> = []
  for (const id of ids) {
    const price = found.get(id)
    const reason = missing.get(id) ?? "no_price"
    if (price !== undefined) rows.push([id, toRow(price, currency, rate, facts.get(id))])
    else if (reason !== "no_price" || facts.has(id)) rows.push([id, toRowWithout(id, reason, facts.get(id))])
  }
  return Object.fromEntries(rows)
}

/** The value of a US dollar in the requested currency. */
export const rateOf = (rates: typeof ExchangeRates.Service, currency: Currency) =>
  Effect.mapError(
    rates.ofDollar(currency),
    () =>
      new UpstreamFailed({
        detail: `The exchange rate of ${currency} is not available at the moment; prices in usd are available.`
      })
  )
