import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Amount from "../../domain/Amount.ts"
import type { Balance, Converted, MissingBalance } from "../../domain/Balance.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { Reason } from "../../domain/Reason.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { ExchangeRates } from "../prices/currencies/ExchangeRates.ts"
import { noRate } from "../prices/currencies/noRate.ts"

/** What a US dollar is worth in the currency of a request; or why that is not known. */
export interface Conversion {
  readonly currency: Currency
  readonly rate: Either.Either<BigDecimal.BigDecimal, Reason>
}

/** The rate, which is read while prices are. Ends within `duration` ms. */
export const conversionTo = (
  rates: typeof ExchangeRates.Service,
  currency: Currency,
  duration: number
): Effect.Effect<Conversion> =>
  rates.ofDollar(currency).pipe(
    Effect.mapError(({ reason }) => reason),
    timeoutFail({ duration, onTimeout: (): Reason => "timeout" }),
    Effect.either,
    Effect.map((rate) => ({
      currency,
      rate: Either.flatMap(rate, (perUsd) => Either.fromOption(Amount.price(perUsd), () => "bad_answer" as const))
    }))
  )

/** As {@link conversionTo}; undefined where no currency is requested. */
export const conversionOf = (
  rates: typeof ExchangeRates.Service,
  currency: Currency | undefined,
  duration: number
): Effect.Effect<Conversion | undefined> =>
  currency === undefined ? Effect.succeed(undefined) : conversionTo(rates, currency, duration)

/** Digits of a converted price: no exchange rate is known to more. */
const digits = 12

/** A row's own numbers. */
type Numbers = Pick<Balance, "balance" | "tokenPrice"> & MissingBalance

/** A price in the currency: that in USD times the rate, to {@link digits} significant digits; unchanged in USD itself. */
export const inCurrency = ({ currency, rate }: Conversion, usd: BigDecimal.BigDecimal) =>
  currency === "usd"
    ? Either.right(usd)
    : Either.map(rate, (perUsd) => Amount.significant(BigDecimal.multiply(usd, perUsd), digits))

/** The price in the currency and the value: the exact product of balance and price. A rate that is missing is the reason of both. */
export const converted = (conversion: Conversion, row: Numbers): Converted & MissingBalance => {
  const { currency } = conversion
  const usd = decimalOf(row.tokenPrice)
  if (usd === undefined) return { currency, price: null, value: null }
  const price = inCurrency(conversion, usd)
  if (Either.isLeft(price))
    return {
      currency,
      price: null,
      value: null,
      ...(row.error === undefined ? { error: noRate(currency), errorCode: price.left } : {})
    }
  const balance = decimalOf(row.balance)
  return {
    currency,
    price: Amount.plain(price.right),
    value: balance === undefined ? null : Amount.plain(BigDecimal.multiply(balance, price.right))
  }
}

const decimalOf = (text: string | null) =>
  text === null ? undefined : Option.getOrUndefined(BigDecimal.fromString(text))
