import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import * as Cache from "../../storage/Cache.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"

/** How much of each fiat currency one US dollar is worth, by the currency's code in lower case. */
const Table = Schema.Record({ key: Schema.String, value: Schema.Positive.pipe(Schema.finite()) })
type Table = typeof Table.Type

/** What US dollars are worth in other currencies: CoinGecko's table of what a bitcoin costs in each, by one call an hour. */
export class ExchangeRates extends Context.Tag("features/prices/ExchangeRates")<
  ExchangeRates,
  {
    /** What one US dollar is worth in a fiat currency (its code in lower case); no call for `usd`. */
    readonly ofDollar: (currency: string) => Effect.Effect<number, UpstreamError>
  }
>() {
  static readonly layer = Layer.scoped(
    ExchangeRates,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko
      const cache = yield* Cache.make({
        name: "exchange-rates",
        version: 1,
        schema: Table,
        fresh: "1 hour",
        // Over a weekend rates do not move; on other days by about one percent.
        stale: "11 hours",
        notFound: "1 minute",
        failure: "10 seconds",
        capacity: 1,
        lookup: () =>
          coingecko.exchangeRates.pipe(
            Effect.map(({ rates }) => toTable(rates)),
            // A response without rates must not replace a table.
            Effect.filterOrFail(
              (table) => table[key] === 1,
              () => unknown(key)
            ),
            Effect.map((table) => ({ found: new Map([[key, table]]), failed: new Map() }))
          )
      })
      return {
        ofDollar: (currency) =>
          currency === "usd"
            ? Effect.succeed(1)
            : Effect.flatMap(cache.get(key), (table) =>
                Option.match(
                  Option.flatMapNullable(table, (rates) => rates[currency]),
                  { onNone: () => Effect.fail(unknown(currency)), onSome: Effect.succeed }
                )
              )
      }
    })
  )

  static readonly layerTest = (rates: Table) =>
    Layer.succeed(ExchangeRates, {
      ofDollar: (currency) =>
        currency === "usd"
          ? Effect.succeed(1)
          : Effect.mapError(Effect.fromNullable(rates[currency]), () => unknown(currency))
    })
}

const key = "usd"

const unknown = (currency: string) =>
  new UpstreamError({ upstream: "coingecko", reason: "bad_answer", detail: `has no exchange rate of ${currency} now` })

/** Rates that are not positive numbers are left out; without a rate of the dollar the table is empty. */
const toTable = (rates: Readonly<Record<string, { readonly value: number; readonly type: string }>>): Table => {
  const dollar = rates[key]?.value ?? Number.NaN
  return Object.fromEntries(
    Object.entries(rates).flatMap(([currency, { type, value }]) => {
      const rate = value / dollar
      return type === "fiat" && rate > 0 && Number.isFinite(rate) ? [[currency, rate]] : []
    })
  )
}
