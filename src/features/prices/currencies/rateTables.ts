import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CoinGecko } from "../../../providers/CoinGecko.ts"
import { Frankfurter } from "../../../providers/Frankfurter.ts"
import { UpstreamError } from "../../../upstream/UpstreamError.ts"

const Rate = Schema.Positive.pipe(Schema.finite())

/** The value of one US dollar in each currency, by lower-case currency code. */
export const Table = Schema.Struct({
  rates: Schema.Record({ key: Schema.String, value: Rate }),
  source: Schema.String,
  /** ms */
  at: Schema.Number
})
export type Table = typeof Table.Type

/** The base currency of every table. */
export const key = "usd"

/** The error of a source without a rate of a currency. */
export const without = (upstream: string, currency: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: `has no exchange rate of ${currency} now` })

/** The bitcoin price in each currency, divided by the dollar price. */
export const fromCoinGecko = Effect.map(CoinGecko, (coingecko) => ({
  standing: coingecko.standing,
  table: Effect.gen(function* () {
    const rates = toRates((yield* coingecko.exchangeRates).rates)
    // A response without rates must not replace a table.
    if (rates[key] !== 1) return yield* without("coingecko", key)
    return { rates, source: "coingecko", at: yield* Clock.currentTimeMillis }
  })
}))

const day = 24 * 3_600_000

/** Easter is the longest period without a working day. */
const maxAge = 7 * day

/** The reference rates of the European Central Bank. */
export const fromFrankfurter = Effect.map(Frankfurter, (frankfurter) => ({
  standing: frankfurter.standing,
  table: Effect.gen(function* () {
    const { at, perUsd } = yield* frankfurter.latest
    const now = yield* Clock.currentTimeMillis
    if (at > now + day || at < now - maxAge) return yield* without("frankfurter", key)
    return { rates: { ...perUsd, [key]: 1 }, source: "frankfurter", at }
  })
}))

/** Omits rates that are not positive numbers; without a dollar rate the table is empty. */
const toRates = (rates: Readonly<Record<string, { readonly value: number; readonly type: string }>>) => {
  const dollar = rates[key]?.value ?? Number.NaN
  return Object.fromEntries(
    Object.entries(rates).flatMap(([currency, { type, value }]) => {
      const rate = value / dollar
      // The rates of coins come from their prices, which are newer.
      return type !== "crypto" && rate > 0 && Number.isFinite(rate) ? [[currency, significant(rate)]] : []
    })
  )
}

/** Removes the digits that an operation on two doubles adds: 0.8611 instead of 0.8610999999999999. */
export const significant = (rate: number) => Number(rate.toPrecision(12))
