import * as Schema from "effect/Schema"
import { currencies } from "../../domain/Currency.ts"
import { enumOf, errorCode, milliseconds, number, numberOrNull, oneOf, optional, text } from "../../domain/fields.ts"

/** A currency code in a request, in upper or lower case. */
export const Currency = Schema.transform(
  Schema.String.annotations({
    description: `Currency of the numbers, in upper or lower case: ${currencies.join(", ")}. US dollars by default.`,
    examples: ["usd"]
  }),
  Schema.Literal(...currencies).annotations({ message: oneOf(currencies) }),
  { strict: false, decode: (code) => code.trim().toLowerCase(), encode: (code) => code }
)

/** Member of a response that is in a currency other than the US dollar. */
export const otherCurrency = optional(text("Currency of the numbers; absent for USD.", "eur"))

/** A currency that `currency` accepts, and the current value of a US dollar in it. */
export const CurrencyRate = Schema.Struct({
  currency: text("Code of the currency, as in `currency` of other routes and their responses.", "eur"),
  name: text("English name of the currency.", "Euro"),
  symbol: text("Symbol for amounts; the code if the currency has no symbol.", "€"),
  decimals: number("Usual number of decimals of an amount.", 2),
  kind: enumOf("fiat: national money, or the IMF's unit; commodity: a troy ounce; coin: a crypto coin.", [
    "fiat",
    "commodity",
    "coin"
  ]),
  perUsd: numberOrNull("Value of one US dollar in this currency. Null if no source has a current rate.", 0.8611),
  source: optional(text("Source of the rate; absent for US dollars.", "coingecko")),
  updatedAt: optional(milliseconds("Time of the rate, or of the response if the source gives no time")),
  error: optional(text("Human-readable reason why the rate is null.", "the exchange rate of eur is not available")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "CurrencyRate", description: "A currency, and its rate to the US dollar." })
export type CurrencyRate = typeof CurrencyRate.Type
