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
import { noRate } from "../prices/Prices.ts"

/** The value of a US dollar in the requested currency, or why it is not known. */
export interface Conversion {
  readonly currency: Currency
  readonly rate: Either.Either<BigDecimal.BigDecimal, Reason>
}

/** Reads the exchange rate, concurrently with prices. Ends within `duration` ms. */
export const conversionTo = (
  rates: typeof ExchangeRates.Service,
  currency: Currency,
  duration: number
): Effect.Effect<Conversion> =>
  rates.of(currency).pipe(
    Effect.mapBoth({ onFailure: ({ reason }) => reason, onSuccess: ({ perUsd }) => perUsd }),
    timeoutFail({ duration, onTimeout: (): Reason => "timeout" }),
    Effect.either,
    Effect.map((rate) => ({
      currency,
      rate: Either.flatMap(rate, (perUsd) => Either.fromOption(Amount.price(perUsd), () => "bad_answer" as const))
    }))
  )

/** Same as {@link conversionTo}; undefined if no currency is requested. */
export const conversionOf = (
  rates: typeof ExchangeRates.Service,
  currency: Currency | undefined,
  duration: number
): Effect.Effect<Conversion | undefined> =>
  currency === undefined ? Effect.succeed(undefined) : conversionTo(rates, currency, duration)

/** Significant digits of a converted price: exchange rates are not more precise. */
const digits = 12

/** The numbers of a row in USD. */
type Numbers = Pick<Balance, "balance" | "tokenPrice"> & MissingBalance

/** Converts a USD price with the rate, to {@link digits} significant digits; USD remains unchanged. */
export const inCurrency = ({ currency, rate }: Conversion, usd: BigDecimal.BigDecimal) =>
  currency === "usd"
    ? Either.right(usd)
    : Either.map(rate, (perUsd) => Amount.significant(BigDecimal.multiply(usd, perUsd), digits))

/** The price in the currency, and the value as exact product of balance and price. A missing rate makes both null. */
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
