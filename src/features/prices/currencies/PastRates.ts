import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Currency, facts } from "../../../domain/Currency.ts"
import { Frankfurter } from "../../../providers/Frankfurter.ts"
import * as Cache from "../../../storage/Cache.ts"
import { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { queryCoinByCoin } from "../queryCoinByCoin.ts"
import { significant } from "./ExchangeRates.ts"

/** The start of a day (ms) and the value of one US dollar, in ascending order. */
const RatesByDay = Schema.Array(Schema.Tuple(Schema.Finite, Schema.Positive.pipe(Schema.finite())))
type RatesByDay = typeof RatesByDay.Type

/** A time, ms, and a price at that time. */
interface PricePoint {
  readonly at: number
  readonly price: number
}

const day = 24 * 3_600_000

/** A year plus the longest period without a working day before it. */
const reach = (365 + 10) * day

/** Converts past dollar prices to another currency, at the European Central Bank's rate of each day. */
export const make = Effect.gen(function* () {
  const frankfurter = yield* Frankfurter
  const cache = yield* Cache.make<RatesByDay, typeof RatesByDay.Encoded, UpstreamError, never>({
    name: "past-rates",
    version: 1,
    schema: RatesByDay,
    fresh: "1 hour",
    stale: "11 hours",
    notFound: "1 hour",
    failure: "30 seconds",
    capacity: 60,
    batch: 1,
    lookup: queryCoinByCoin((currency) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const days = (yield* frankfurter.since(currency, now - reach)).flatMap(({ at, perUsd }) => {
          const rate = Object.hasOwn(perUsd, currency) ? perUsd[currency] : undefined
          return rate === undefined ? [] : [[at, rate] as const]
        })
        // A series that ended must not be used as current rates.
        return (days.at(-1)?.[0] ?? 0) < now - 7 * day ? Option.none() : Option.some(days)
      })
    )
  })

  /** Converts ascending dollar prices to the currency; omits prices before the first rate. */
  return <A extends PricePoint>(
    points: ReadonlyArray<A>,
    currency: Currency
  ): Effect.Effect<ReadonlyArray<A>, UpstreamError> =>
    Effect.gen(function* () {
      if (currency === "usd") return points
      if (facts[currency].kind !== "fiat") return yield* unknown(currency)
      const days = yield* Effect.flatMap(
        cache.get(currency),
        Option.match({ onNone: () => unknown(currency), onSome: Effect.succeed })
      )
      let next = 0
      return points.flatMap((point): ReadonlyArray<A> => {
        while ((days[next]?.[0] ?? Number.POSITIVE_INFINITY) <= point.at) next++
        const rate = days[next - 1]?.[1]
        return rate === undefined ? [] : [{ ...point, price: significant(point.price * rate) }]
      })
    })
})

const unknown = (currency: string) =>
  new UpstreamError({ upstream: "frankfurter", reason: "bad_answer", detail: `has no past rates of ${currency}` })
