import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CoinId } from "../../../domain/CoinId.ts"
import { type Currency, currencies, facts } from "../../../domain/Currency.ts"
import { each } from "../../../kernel/each.ts"
import { CoinGecko } from "../../../providers/CoinGecko.ts"
import { Frankfurter } from "../../../providers/Frankfurter.ts"
import * as Cache from "../../../storage/Cache.ts"
import * as Sources from "../../../upstream/Sources.ts"
import { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { noPrice } from "../Prices.ts"
import { Pricing } from "../Pricing.ts"

const Rate = Schema.Positive.pipe(Schema.finite())

/** The value of one US dollar in each currency, by lower-case currency code. */
const Table = Schema.Struct({
  rates: Schema.Record({ key: Schema.String, value: Rate }),
  source: Schema.String,
  /** ms */
  at: Schema.Number
})
type Table = typeof Table.Type

/** The base currency of every table. */
const key = "usd"

/** The error of a source without a rate of a currency. */
const without = (upstream: string, currency: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: `has no exchange rate of ${currency} now` })

/** The bitcoin price in each currency, divided by the dollar price. */
const fromCoinGecko = Effect.map(CoinGecko, (coingecko) => ({
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
const fromFrankfurter = Effect.map(Frankfurter, (frankfurter) => ({
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

/** The value of one US dollar in a currency. */
export interface ExchangeRate {
  readonly perUsd: number
  readonly source: string
  /** The time of the rate, ms. */
  readonly updatedAt: number
}

type Rated = Either.Either<ExchangeRate, UpstreamError>

/**
 * Exchange rates of the US dollar: from CoinGecko's table of bitcoin prices, else the reference rates of the European
 * Central Bank, in one call per hour. The rate of a coin is its current price.
 */
export class ExchangeRates extends Context.Tag("features/prices/ExchangeRates")<
  ExchangeRates,
  {
    /** The value of one US dollar in a currency; sends no request for `usd`. */
    readonly ofDollar: (currency: Currency) => Effect.Effect<number, UpstreamError>
    /** The rates of all currencies, each with its source, or the reason why it is missing. */
    readonly all: Effect.Effect<ReadonlyMap<Currency, Rated>>
  }
>() {
  static readonly layer = Layer.scoped(
    ExchangeRates,
    Effect.gen(function* () {
      const pricing = yield* Pricing
      const sources = [yield* fromCoinGecko, yield* fromFrankfurter]
      const cache = yield* Cache.make({
        name: "exchange-rates",
        version: 2,
        schema: Table,
        fresh: "1 hour",
        // Rates do not change on weekends, and by about one percent on other days.
        stale: "11 hours",
        notFound: "1 minute",
        failure: "10 seconds",
        capacity: 1,
        lookup: () =>
          Effect.map(
            Sources.first(sources, ({ table }) => table, { none: without("exchange-rates", "usd") }),
            (table) => ({ found: new Map([[key, table]]), failed: new Map() })
          )
      })

      const ofCoin = (currency: Currency, coin: CoinId) =>
        Effect.map(pricing.prices([coin]), ({ found, missing }): Rated => {
          const price = found.get(coin)
          if (price !== undefined)
            return Either.right({ perUsd: 1 / price.usd, source: price.source, updatedAt: price.updatedAt })
          const reason = missing.get(coin) ?? "no_price"
          return Either.left(new UpstreamError({ upstream: currency, reason, detail: noPrice(reason) }))
        })
      const listed = Effect.map(
        cache.get(key),
        Option.getOrElse((): Table => ({ rates: {}, source: "exchange-rates", at: 0 }))
      )
      const rate = (currency: Currency): Effect.Effect<Rated> => {
        if (currency === key)
          return Effect.map(Clock.currentTimeMillis, (updatedAt) =>
            Either.right({ perUsd: 1, source: "none", updatedAt })
          )
        const coin = facts[currency].coinId
        return coin === undefined
          ? Effect.either(Effect.flatMap(listed, (table) => inTable(table, currency)))
          : ofCoin(currency, CoinId.make(coin))
      }
      return {
        ofDollar: (currency) =>
          Effect.flatMap(
            rate(currency),
            Either.map(({ perUsd }) => perUsd)
          ),
        all: Effect.map(
          each(currencies, rate),
          (rates) => new Map(currencies.map((code, i) => [code, rates[i] as Rated]))
        )
      }
    })
  )

  static readonly layerTest = (rates: Readonly<Record<string, number>>) => {
    const rate = (currency: Currency) => inTable({ rates: { usd: 1, ...rates }, source: "test", at: 0 }, currency)
    return Layer.succeed(ExchangeRates, {
      ofDollar: (currency) => Either.map(rate(currency), ({ perUsd }) => perUsd),
      all: Effect.succeed(new Map(currencies.map((currency) => [currency, rate(currency)])))
    })
  }
}

const inTable = ({ at, rates, source }: Table, currency: Currency): Rated => {
  const perUsd = Object.hasOwn(rates, currency) ? rates[currency] : undefined
  return perUsd === undefined ? Either.left(without(source, currency)) : Either.right({ perUsd, source, updatedAt: at })
}
