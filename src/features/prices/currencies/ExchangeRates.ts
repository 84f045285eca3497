import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { CoinId } from "../../../domain/CoinId.ts"
import { type Currency, currencies, facts } from "../../../domain/Currency.ts"
import type { Price } from "../../../domain/Price.ts"
import { each } from "../../../kernel/each.ts"
import { timeoutOption } from "../../../kernel/timeout.ts"
import { CoinGecko } from "../../../providers/CoinGecko.ts"
import { Frankfurter } from "../../../providers/Frankfurter.ts"
import * as Cache from "../../../storage/Cache.ts"
import { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { noPrice } from "../Prices.ts"
import { Pricing } from "../Pricing.ts"

const day = 24 * 3_600_000

/** The rates of a source, by lower-case currency code. */
const Table = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    /** The value of one US dollar. */
    perUsd: Schema.Positive.pipe(Schema.finite()),
    /** ms */
    at: Schema.Number
  })
})
type Table = typeof Table.Type

/** The base currency of every table. */
const base = "usd"

/** The error of a source without a rate of a currency. */
const without = (upstream: string, currency: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: `has no exchange rate of ${currency} now` })

interface RateSource {
  /** The name of the cache. */
  readonly name: string
  readonly table: Effect.Effect<Table, UpstreamError>
  /** How long a rate is used after its time, ms. */
  readonly maxAge: number
}

/** The bitcoin price in each currency, divided by the dollar price. */
const fromCoinGecko = Effect.map(
  CoinGecko,
  (coingecko): RateSource => ({
    name: "exchange-rates",
    // Rates do not change on weekends, and by about one percent on other days.
    maxAge: day / 2,
    table: Effect.gen(function* () {
      const rates = toRates((yield* coingecko.exchangeRates).rates)
      // A response without rates must not replace a table.
      if (rates[base] !== 1) return yield* without("coingecko", base)
      const at = yield* Clock.currentTimeMillis
      return Record.map(rates, (perUsd) => ({ perUsd, at }))
    })
  })
)

/** The reference rates of the European Central Bank. */
const fromFrankfurter = Effect.map(Frankfurter, (frankfurter): RateSource => {
  // Easter is the longest period without a working day.
  const maxAge = 7 * day
  return {
    name: "reference-rates",
    maxAge,
    table: Effect.gen(function* () {
      const { at, perUsd } = yield* frankfurter.latest
      const now = yield* Clock.currentTimeMillis
      if (at > now + day || at < now - maxAge) return yield* without("frankfurter", base)
      return Record.map({ ...perUsd, [base]: 1 }, (rate) => ({ perUsd: rate, at }))
    })
  }
})

/** Omits rates that are not positive numbers; without a dollar rate the table is empty. */
const toRates = (rates: Readonly<Record<string, { readonly value: number; readonly type: string }>>) => {
  const dollar = rates[base]?.value ?? Number.NaN
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
  /** The value 24 hours earlier; only for coins, and absent if the change of the coin's price is not known. */
  readonly perUsdDayAgo?: number
}

type Rated = Either.Either<ExchangeRate, UpstreamError>

/** How far the rates of two sources may differ: one is of the last working day. */
const tolerance = 0.05

/** How long to wait for the second source of a rate that the first source has, ms. */
const secondWait = 1_000

/** The known rates of both sources. */
interface Tables {
  readonly coingecko: Table
  readonly frankfurter: Table
  /** Why CoinGecko's rates are missing. */
  readonly failure?: UpstreamError | undefined
}

const ownRate = (table: Table, currency: string) => (Object.hasOwn(table, currency) ? table[currency] : undefined)

const differ = ({ coingecko, frankfurter }: Tables, currency: string): boolean | undefined => {
  const [first, second] = [ownRate(coingecko, currency), ownRate(frankfurter, currency)]
  if (first === undefined || second === undefined || currency === base) return
  return Math.abs(first.perUsd / second.perUsd - 1) > tolerance
}

/**
 * The newest rate of a currency. None if the sources disagree on it, or if only one source has it and the sources
 * disagree on most others: then a source is wrong about the dollar.
 */
const inTables = (tables: Tables, currency: Currency): Rated => {
  const { coingecko, failure, frankfurter } = tables
  const first = ownRate(coingecko, currency)
  const second = ownRate(frankfurter, currency)
  const shared = Object.keys(frankfurter).flatMap((code) => differ(tables, code) ?? [])
  const isWrong = differ(tables, currency) ?? 2 * shared.filter(Boolean).length > shared.length
  if (isWrong) {
    const detail = `exchange rates of ${currency} from coingecko and frankfurter disagree`
    return Either.left(new UpstreamError({ upstream: "exchange-rates", reason: "bad_answer", detail }))
  }
  if (first !== undefined && first.at >= (second?.at ?? 0))
    return Either.right({ perUsd: first.perUsd, source: "coingecko", updatedAt: first.at })
  if (second !== undefined) return Either.right({ perUsd: second.perUsd, source: "frankfurter", updatedAt: second.at })
  return Either.left(failure ?? without("coingecko", currency))
}

/** The rate of a coin is its price. */
const ofPrice = ({ change24h, source, updatedAt, usd }: Price): ExchangeRate => ({
  perUsd: 1 / usd,
  source,
  updatedAt,
  ...(change24h === undefined || change24h >= usd ? {} : { perUsdDayAgo: 1 / (usd - change24h) })
})

/**
 * Exchange rates of the US dollar: from CoinGecko's table of bitcoin prices, and from the reference rates of the European
 * Central Bank, in one call to each per hour. Each rate has its own source and age: a table with fewer currencies does not
 * change the other rates. A rate that both sources have is missing if they differ by more than 5 %. The rate of a coin is
 * its current price.
 */
export class ExchangeRates extends Context.Tag("features/prices/ExchangeRates")<
  ExchangeRates,
  {
    /** The value of one US dollar in a currency; sends no request for `usd`. */
    readonly of: (currency: Currency) => Effect.Effect<ExchangeRate, UpstreamError>
    /** The rates of all currencies, each with its source, or the reason why it is missing. */
    readonly all: Effect.Effect<ReadonlyMap<Currency, Rated>>
  }
>() {
  static readonly layer = Layer.scoped(
    ExchangeRates,
    Effect.gen(function* () {
      const pricing = yield* Pricing
      const read = reading(yield* cached(yield* fromCoinGecko), yield* cached(yield* fromFrankfurter))

      const ofCoin = (currency: Currency, coin: CoinId) =>
        Effect.map(pricing.prices([coin]), ({ found, missing }): Rated => {
          const price = found.get(coin)
          if (price !== undefined) return Either.right(ofPrice(price))
          const reason = missing.get(coin) ?? "no_price"
          return Either.left(new UpstreamError({ upstream: currency, reason, detail: noPrice(reason) }))
        })
      const rate = (currency: Currency): Effect.Effect<Rated> => {
        if (currency === base)
          return Effect.map(Clock.currentTimeMillis, (updatedAt) =>
            Either.right({ perUsd: 1, source: "none", updatedAt })
          )
        const coin = facts[currency].coinId
        return coin === undefined
          ? Effect.map(read, (tables) => inTables(tables, currency))
          : ofCoin(currency, CoinId.make(coin))
      }
      return {
        of: (currency) => Effect.flatten(rate(currency)),
        all: Effect.map(
          each(currencies, rate),
          (rates) => new Map(currencies.map((code, i) => [code, rates[i] as Rated]))
        )
      }
    })
  )

  /** Fixed values of one US dollar, and rates of coins. */
  static readonly layerTest = (
    rates: Readonly<Record<string, number>>,
    coins: Partial<Readonly<Record<Currency, ExchangeRate>>> = {}
  ) => {
    const table = Record.map({ [base]: 1, ...rates }, (perUsd) => ({ perUsd, at: 0 }))
    const rate = (currency: Currency): Rated => {
      const coin = coins[currency]
      return coin === undefined ? inTables({ coingecko: table, frankfurter: {} }, currency) : Either.right(coin)
    }
    return Layer.succeed(ExchangeRates, {
      of: rate,
      all: Effect.succeed(new Map(currencies.map((currency) => [currency, rate(currency)])))
    })
  }
}

/** The table of a source through a cache. Rates that a new table lacks remain until they are too old. */
const cached = ({ maxAge, name, table }: RateSource) =>
  Effect.gen(function* () {
    const cache = yield* Cache.make({
      name,
      version: 3,
      schema: Table,
      fresh: "1 hour",
      stale: "11 hours",
      notFound: "1 minute",
      failure: "10 seconds",
      capacity: 1,
      lookup: (_, before) =>
        Effect.map(table, (rates) => ({
          found: new Map([[base, { ...before.get(base), ...rates }]]),
          failed: new Map<string, UpstreamError>()
        }))
    })
    return Effect.zipWith(cache.get(base), Clock.currentTimeMillis, (found, now) =>
      Record.filter(
        Option.getOrElse(found, (): Table => ({})),
        ({ at }) => Math.abs(now - at) < maxAge
      )
    )
  })

const reading = (coingecko: Effect.Effect<Table, UpstreamError>, frankfurter: Effect.Effect<Table, UpstreamError>) =>
  Effect.gen(function* () {
    const second = Effect.orElseSucceed(frankfurter, (): Table => ({}))
    const [first, early] = yield* Effect.all([Effect.either(coingecko), timeoutOption(second, secondWait)], {
      concurrency: 2
    })
    if (Either.isRight(first))
      return { coingecko: first.right, frankfurter: Option.getOrElse(early, (): Table => ({})) }
    return { coingecko: {}, frankfurter: Option.isSome(early) ? early.value : yield* second, failure: first.left }
  })
