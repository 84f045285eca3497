import { sum } from "../text/decimal.ts"
import { foreign } from "../text/format.ts"
import type { BalanceRow, Loading, PortfolioAccount } from "./Loading.ts"
import { worthOf } from "./worth.ts"

/** A line of the table: what an account holds of one coin. */
export interface PortfolioRow {
  readonly key: string
  readonly row: BalanceRow
  readonly account: PortfolioAccount
  /** In `currency`; null with a reason in the row. */
  readonly value: string | null
  readonly price: string | null
  /** A code in upper case. */
  readonly currency: string
  /** For sorting and comparing alone: a value that is shown is never made of it. */
  readonly approximateValue: number | undefined
  readonly searched: string
}

/** One for each row, for as long as the row is the same. */
const made = new WeakMap<BalanceRow, PortfolioRow>()

const holdingOf = (account: PortfolioAccount, row: BalanceRow): PortfolioRow => {
  const before = made.get(row)
  if (before?.account === account) return before
  const { currency, price, value } = worthOf(row)
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

export const holdingsOf = ({ accounts }: Loading): ReadonlyArray<PortfolioRow> =>
  accounts.flatMap((account) => account.rows.map((row) => holdingOf(account, row)))

export type SortedBy = "asset" | "network" | "change" | "value"

export interface Sorting {
  readonly by: SortedBy
  readonly descending: boolean
}

const texts: Readonly<Partial<Record<SortedBy, (holding: PortfolioRow) => string>>> = {
  asset: ({ row }) => foreign(row.tokenSymbol).toLowerCase(),
  network: ({ row }) => row.blockchain
}

const numbers: Readonly<Partial<Record<SortedBy, (holding: PortfolioRow) => number | undefined>>> = {
  value: ({ approximateValue }) => approximateValue,
  change: ({ row }) => row.priceChangePercent24h
}

/** What is not known comes last, whichever way it is sorted. */
const compareNumbers = (a: number | undefined, b: number | undefined, sign: number) => {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return sign * (a - b)
}

export const sorted = (
  holdings: ReadonlyArray<PortfolioRow>,
  { by, descending }: Sorting
): ReadonlyArray<PortfolioRow> => {
  const sign = descending ? -1 : 1
  const [text, number] = [texts[by], numbers[by]]
  return holdings.toSorted((a, b) =>
    text === undefined
      ? compareNumbers(number?.(a), number?.(b), sign)
      : sign * text(a).localeCompare(text(b)) || compareNumbers(a.approximateValue, b.approximateValue, -1)
  )
}

/** Below this worth in US dollars, whatever values are shown in, or without any balance, a holding is small; what is not known never is. */
const smallBelow = 1

export const isSmall = ({ row: { balance, balanceUsd } }: PortfolioRow): boolean =>
  balance === "0" || (balanceUsd !== null && Number(balanceUsd) < smallBelow)

/** Those in which all words of the text occur. */
export const matching = (holdings: ReadonlyArray<PortfolioRow>, text: string): ReadonlyArray<PortfolioRow> => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0
    ? holdings
    : holdings.filter(({ searched }) => words.every((word) => searched.includes(word)))
}

export interface Totals {
  /** The exact sum of the values that are known; null where none is. */
  readonly value: string | null
  /** Holdings that are not in it, because their value is not known. */
  readonly unknown: number
  /** What the change of the last 24 hours makes of it; undefined where no change is known. */
  readonly change: { readonly value: number; readonly percent: number } | undefined
}

/** Whether its value is missing from a total: what is certainly nothing has a value of nothing. */
const isUnknown = ({ row, value }: PortfolioRow) => value === null && row.balance !== "0"

/** All in this currency: while another one is being read, no sum is made of both. */
const inCurrency = (holding: PortfolioRow, currency: string): PortfolioRow =>
  holding.currency === currency ? holding : { ...holding, value: null, approximateValue: undefined }

export const totalsOf = (all: ReadonlyArray<PortfolioRow>, currency: string): Totals => {
  const holdings = all.map((holding) => inCurrency(holding, currency))
  let [now, before] = [0, 0]
  for (const { approximateValue, row } of holdings) {
    const percent = row.priceChangePercent24h
    if (approximateValue === undefined || percent === undefined || percent <= -100) continue
    now += approximateValue
    before += approximateValue / (1 + percent / 100)
  }
  return {
    value: holdings.every(isUnknown) ? null : sum(holdings.flatMap(({ value }) => value ?? [])),
    unknown: holdings.filter(isUnknown).length,
    change: before > 0 ? { value: now - before, percent: (100 * (now - before)) / before } : undefined
  }
}
