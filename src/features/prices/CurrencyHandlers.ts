import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CurrencyRate } from "../../contract/prices/currencies.ts"
import { type Currency, currencies, facts } from "../../domain/Currency.ts"
import { ExchangeRates } from "./currencies/ExchangeRates.ts"
import { noRate } from "./currencies/noRate.ts"

/** The response of GET /price/currencies. Cannot fail: a rate that is not available is null with its reason. */
export const make = Effect.map(ExchangeRates, (rates) =>
  Effect.map(
    rates.all,
    (all): ReadonlyArray<CurrencyRate> =>
      currencies.flatMap((currency): ReadonlyArray<CurrencyRate> => {
        const rate = all.get(currency)
        if (rate === undefined) return []
        if (currency === "usd") return [{ currency, ...named(currency), perUsd: 1 }]
        return [{ currency, ...named(currency), ...Either.match(rate, { onLeft: missing(currency), onRight: known }) }]
      })
  )
)

const named = (currency: Currency) => {
  const { coinId: _, ...named } = facts[currency]
  return named
}

const known = ({ perUsd, source, updatedAt }: { perUsd: number; source: string; updatedAt: number }) => ({
  perUsd,
  source,
  updatedAt
})

const missing =
  (currency: Currency) =>
  ({ reason }: { reason: NonNullable<CurrencyRate["errorCode"]> }) => ({
    perUsd: null,
    error: noRate(currency),
    errorCode: reason
  })
