import type { ErrorCode } from "../text/reasons.ts"
import type { BalanceRow } from "./Loading.ts"

/** What a row is worth, in the currency that it was read in. */
export interface Worth {
  readonly value: string | null
  readonly price: string | null
  /** A code in upper case. */
  readonly currency: string
}

const base = "USD"

/** What the service has to be asked for so that rows have their worth in this currency; US dollars are always there. */
export const requestedCurrency = (currency: string): string | undefined =>
  currency === base ? undefined : currency.toLowerCase()

/** The one place that knows which fields of a row have its worth. */
export const worthOf = ({ balanceUsd, currency, price = null, tokenPrice, value = null }: BalanceRow): Worth =>
  currency === undefined
    ? { value: balanceUsd, price: tokenPrice, currency: base }
    : { value, price, currency: currency.toUpperCase() }

/** The same of what was known earlier, which is kept in US dollars. */
export const lastWorthOf = ({ lastKnown }: BalanceRow): Omit<Worth, "price"> => ({
  value: lastKnown?.balanceUsd ?? null,
  currency: base
})

/** Why a row has no worth: what its price or the exchange rate is missing for, or its balance. */
export const missingWorthOf = ({
  balance,
  error,
  errorCode
}: BalanceRow): { readonly code: ErrorCode | undefined; readonly detail: string | undefined } =>
  balance === null || errorCode === undefined || errorCode === "no_price"
    ? { code: balance === null ? errorCode : "no_price", detail: undefined }
    : { code: errorCode, detail: error }
