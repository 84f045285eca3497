import type { components, Failure } from "../../client/Client.ts"
import type { Lookup, NetworkAddress } from "../addresses/accounts.ts"
import { sum } from "../text/decimal.ts"
import { rowValue } from "./worth.ts"

export type BalanceRow = components["schemas"]["Balance"]
/** An address on a network, with the state of its balances. */
export interface PortfolioAccount extends NetworkAddress {
  readonly state: "waiting" | "answered" | "failed"
  /** The reason of a failure, a sentence. */
  readonly problem?: string
  readonly rows: ReadonlyArray<BalanceRow>
}

/** The current state of all entered texts. */
export interface Loading {
  readonly lookups: ReadonlyArray<Lookup>
  /** In the order of the entered texts. */
  readonly accounts: ReadonlyArray<PortfolioAccount>
  /** Missing data that no row reports, such as the tokens of a network. */
  readonly failures: ReadonlyArray<Failure>
  readonly isDone: boolean
  /** When all balances were last read, UNIX time in ms; 0 before. */
  readonly at: number
  /** The requested currency of values: a code in upper case. */
  readonly currency: string
}

/** Whether a balance or a part is missing because its network was shut down, which is no failure. */
export const isGone = ({ errorCode }: { readonly errorCode?: string }): boolean => errorCode === "sunset"

/** The networks that were shut down: their balances cannot be read and are no part of a total. */
export const goneNetworks = ({ accounts, failures }: Loading): ReadonlyArray<string> => [
  ...new Set([
    ...accounts.filter(({ rows }) => rows.some(isGone)).map(({ network }) => network),
    ...failures.filter(isGone).map(({ network }) => network)
  ])
]

/** True if a total lacks something: it is being read, or could not be read. */
export const isPartial = ({ accounts, failures, isDone, lookups }: Loading): boolean =>
  !isDone ||
  failures.some((failure) => !isGone(failure)) ||
  [...lookups, ...accounts].some(({ state }) => state === "failed")

export const nothing = (currency: string): Loading => ({
  lookups: [],
  accounts: [],
  failures: [],
  isDone: true,
  at: 0,
  currency
})

/** A row of the table: the balance of one coin in an account. */
export interface PortfolioRow {
  readonly key: string
  readonly row: BalanceRow
  readonly account: PortfolioAccount
  /** Decimal in `currency`; null with a reason in `row`. */
  readonly value: string | null
  readonly price: string | null
  /** A code in upper case. */
  readonly currency: string
  /** For sorting and comparing only, never for display. */
  readonly approximateValue: number | undefined
  readonly searched: string
}

/** Cached holdings by row object, so that unchanged rows keep their identity. */
const made = new WeakMap<BalanceRow, PortfolioRow>()

const holdingOf = (account: PortfolioAccount, row: BalanceRow): PortfolioRow => {
  const before = made.get(row)
  if (before?.account === account) return before
  const { currency, price, value } = rowValue(row)
  const holding: PortfolioRow = {
    key: `${row.blockchain} ${row.holderAddress} ${row.contractAddress ?? ""}`,
    row,
    account,
    value,
    price,
    currency,
    approximateValue: value === null ? undefined : Number(value),
    searched: `${row.tokenSymbol} ${row.tokenName} ${row.blockchain} ${row.holderAddress} ${row.contractAddress ?? ""}`
      .slice(0, 1000)
      .toLowerCase()
  }
  made.set(row, holding)
  return holding
}

/**
 * True if the row of another account counts the balance. The service says so of rows in one request; of others only a row
 * with at least this balance counts it.
 */
const isCounted = (
  { match, network }: PortfolioAccount,
  { balance, contractAddress, countedIn }: BalanceRow,
  accounts: ReadonlyArray<PortfolioAccount>
): boolean => {
  if (countedIn === undefined && match.account === undefined) return false
  const other = accounts.find(
    (account) =>
      account.network === network &&
      (countedIn === undefined ? account.match.canonical === match.account : account.address === countedIn)
  )
  const counting = other?.rows.find((row) => row.contractAddress === contractAddress)
  if (counting == null || counting.balance === null || counting.countedIn !== undefined) return false
  return countedIn !== undefined || balance === null || !sum([counting.balance, `-${balance}`]).startsWith("-")
}

/** The rows of all accounts, each balance once, except those of networks that were shut down. */
export const holdingsOf = ({ accounts }: Loading): ReadonlyArray<PortfolioRow> =>
  accounts.flatMap((account) =>
    account.rows.flatMap((row) => (isGone(row) || isCounted(account, row, accounts) ? [] : [holdingOf(account, row)]))
  )

/** A holding is small if its value is below this number of US dollars or its balance is zero, not if unknown. */
const smallBelow = 1

export const isSmall = ({ row: { balance, balanceUsd } }: PortfolioRow): boolean =>
  balance === "0" || (balanceUsd !== null && Number(balanceUsd) < smallBelow)

/** The holdings that contain all words of the text. */
export const matching = (holdings: ReadonlyArray<PortfolioRow>, text: string): ReadonlyArray<PortfolioRow> => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0
    ? holdings
    : holdings.filter(({ searched }) => words.every((word) => searched.includes(word)))
}

export interface Totals {
  /** The exact sum of the known values; null if no value is known. */
  readonly value: string | null
  /** Number of holdings that are not included because their value is unknown. */
  readonly unknown: number
  /** The change of the total over the last 24 hours; undefined if it is unknown for over 1 % of the value. */
  readonly change: { readonly value: number; readonly percent: number } | undefined
}

/** True if the value is missing from a total. A balance of zero has the value zero. */
const isUnknown = ({ row, value }: PortfolioRow) => value === null && row.balance !== "0"

/** Drops values in another currency: while a new currency is loading, no sum mixes both. */
const inCurrency = (holding: PortfolioRow, currency: string): PortfolioRow =>
  holding.currency === currency ? holding : { ...holding, value: null, approximateValue: undefined }

export const totalsOf = (all: ReadonlyArray<PortfolioRow>, currency: string): Totals => {
  const holdings = all.map((holding) => inCurrency(holding, currency))
  let [valued, now, before] = [0, 0, 0]
  for (const { approximateValue, row } of holdings) {
    const percent = row.priceChangePercent24h
    valued += approximateValue ?? 0
    if (approximateValue === undefined || percent === undefined || percent <= -100) continue
    now += approximateValue
    before += approximateValue / (1 + percent / 100)
  }
  const isKnown = before > 0 && now >= 0.99 * valued
  return {
    value: holdings.every(isUnknown) ? null : sum(holdings.flatMap(({ value }) => value ?? [])),
    unknown: holdings.filter(isUnknown).length,
    change: isKnown ? { value: now - before, percent: (100 * (now - before)) / before } : undefined
  }
}
