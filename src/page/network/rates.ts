import type { components } from "../../client/Client.ts"
import { plain } from "../text/decimal.ts"

/** The value of a US dollar in the currency; null if it is currently unknown. */
export const rateOf = (
  currency: string,
  rates: ReadonlyArray<components["schemas"]["CurrencyRate"]>
): { readonly perUsd: number | null; readonly error: string | undefined } => {
  if (currency === "USD") return { perUsd: 1, error: undefined }
  const rate = rates.find((candidate) => candidate.currency.toUpperCase() === currency)
  return { perUsd: rate?.perUsd ?? null, error: rate?.error }
}

/** Converts US dollars to another currency. The result is rounded, unless the rate is 1. */
export const inCurrency = (usd: string, perUsd: number): string => (perUsd === 1 ? usd : plain(Number(usd) * perUsd))
