import type { components } from "../../client/Client.ts"
import { t } from "../text/language.ts"
import type { ErrorCode } from "../text/reasons.ts"
import type { BalanceRow } from "./holdings.ts"

/** Value and price of a row, in the currency of the request. */
export interface Worth {
  readonly value: string | null
  readonly price: string | null
  /** A code in upper case. */
  readonly currency: string
}

const base = "USD"

/** The `currency` to request for values in this currency; undefined for US dollars, which are always included. */
export const requestedCurrency = (currency: string): string | undefined =>
  currency === base ? undefined : currency.toLowerCase()

/** Value and price of a row. Only this function knows their fields. */
export const rowValue = ({ balanceUsd, currency, price = null, tokenPrice, value = null }: BalanceRow): Worth =>
  currency === undefined
    ? { value: balanceUsd, price: tokenPrice, currency: base }
    : { value, price, currency: currency.toUpperCase() }

/** The last known value, which is stored in US dollars. */
export const lastValue = ({ lastKnown }: BalanceRow): Omit<Worth, "price"> => ({
  value: lastKnown?.balanceUsd ?? null,
  currency: base
})

/** The reason why a row has no value: a missing price, exchange rate or balance. */
export const missingValue = ({
  balance,
  error,
  errorCode
}: BalanceRow): { readonly code: ErrorCode | undefined; readonly detail: string | undefined } =>
  balance === null || errorCode === undefined || errorCode === "no_price"
    ? { code: balance === null ? errorCode : "no_price", detail: undefined }
    : { code: errorCode, detail: error }

export type Breakdown = components["schemas"]["Breakdown"]

/** The parts in the order of display: the names of their titles. */
const partNames = ["spendable", "reserved", "staked", "rewards", "unconfirmed", "immature"] as const

/** A part of a balance; its amount is null if it could not be read. */
export interface BalancePart {
  readonly title: string
  readonly meaning: string
  readonly amount: string | null
}

/** The parts that a network has, in the order of display. */
export const partsOf = (breakdown: Breakdown | undefined): ReadonlyArray<BalancePart> =>
  partNames.flatMap((name) => {
    const amount = breakdown?.[name]
    return amount === undefined ? [] : [{ title: t(name), meaning: t(`${name}Help`), amount }]
  })
