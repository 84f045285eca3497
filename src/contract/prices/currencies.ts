import * as Schema from "effect/Schema"
import { currencies } from "../../domain/Currency.ts"
import { errorCode, milliseconds, number, numberOrNull, oneOf, optional, text, word } from "../../domain/fields.ts"

/** A currency in a request, in any case. */
export const Currency = Schema.transform(
  Schema.String.annotations({
    description: `The currency of the numbers, in any case: ${currencies.join(", ")}. Without it US dollars.`,
    examples: ["usd"]
  }),
  Schema.Literal(...currencies).annotations({ message: oneOf(currencies) }),
  { strict: false, decode: (code) => code.trim().toLowerCase(), encode: (code) => code }
)

/** Of an answer in another currency than the US dollar. */
export const otherCurrency = optional(text("The currency of the numbers, where it is not USD.", "eur"))

/** A currency that `currency` may name, and what a US dollar is worth in it now. */
export const CurrencyRate = Schema.Struct({
  currency: text("The code, as `currency` of other routes and their answers have it.", "eur"),
  name: text("Its name in English.", "Euro"),
  symbol: text("How amounts of it are marked; the code where it has no sign.", "€"),
  decimals: number("How many decimals an amount of it usually shows.", 2),
  kind: word("fiat: money of a country, or the IMF's unit; commodity: a troy ounce; coin: a coin.", [
    "fiat",
    "commodity",
    "coin"
  ]),
  perUsd: numberOrNull("What one US dollar is worth in it. Null when no source has a current rate.", 0.8611),
  source: optional(text("The source of the rate; US dollars have none.", "coingecko")),
  updatedAt: optional(milliseconds("The time of the rate, which of a source without one is when it answered")),
  error: optional(text("Why the rate is null, for people.", "the exchange rate of eur is not available")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "CurrencyRate", description: "A currency, and its rate to the US dollar." })
export type CurrencyRate = typeof CurrencyRate.Type
