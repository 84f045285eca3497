import { sum } from "../text/decimal.ts"
import { sanitized } from "../text/format.ts"
import { isSmall, type PortfolioRow, type Totals, totalsOf } from "./holdings.ts"
import { lastValue } from "./worth.ts"

export type GroupedBy = "asset" | "network" | "address"

/** Holdings with the same asset, network or address: one line of the list. */
export interface HoldingGroup extends Totals {
  readonly key: string
  /** Largest first. */
  readonly holdings: ReadonlyArray<PortfolioRow>
  /** The exact sum of the known balances; null if none is known, or if the holdings are of several assets. */
  readonly amount: string | null
  /** Last known values in US dollars of the holdings without a value, all or a part, and the time of the oldest, ms. */
  readonly last: { readonly value: string; readonly isPart: boolean; readonly at: number } | undefined
  /** Estimate in US dollars that sorts the list; includes last known values. */
  readonly rank: number
}

/** The same asset on several networks is one group: it has the same coin id. */
const keys: Readonly<Record<GroupedBy, (holding: PortfolioRow) => string>> = {
  asset: ({ row }) => (row.coinId === "" ? `${row.blockchain} ${row.contractAddress ?? ""}` : row.coinId),
  network: ({ row }) => row.blockchain,
  address: ({ account }) => account.address
}

const rankOf = ({ row }: PortfolioRow): number => Number(row.balanceUsd ?? row.lastKnown?.balanceUsd ?? 0) || 0

const lastOf = (holdings: ReadonlyArray<PortfolioRow>, unknown: number): HoldingGroup["last"] => {
  const rows = holdings.flatMap(({ row, value }) => {
    const last = value === null ? lastValue(row).value : null
    return last === null || row.lastKnown === undefined ? [] : [{ value: last, at: row.lastKnown.at }]
  })
  return rows.length === 0
    ? undefined
    : {
        value: sum(rows.map(({ value }) => value)),
        isPart: rows.length < unknown,
        at: Math.min(...rows.map(({ at }) => at))
      }
}

const groupOf = (key: string, by: GroupedBy, unsorted: ReadonlyArray<PortfolioRow>, currency: string): HoldingGroup => {
  const holdings = unsorted.toSorted((a, b) => rankOf(b) - rankOf(a))
  const balances = holdings.flatMap(({ row }) => row.balance ?? [])
  const totals = totalsOf(holdings, currency)
  return {
    ...totals,
    key,
    holdings,
    amount: by === "asset" && balances.length > 0 ? sum(balances) : null,
    last: lastOf(holdings, totals.unknown),
    rank: holdings.reduce((total, holding) => total + rankOf(holding), 0)
  }
}

/** The holdings in groups, unsorted. */
export const groupsOf = (
  holdings: ReadonlyArray<PortfolioRow>,
  by: GroupedBy,
  currency: string
): ReadonlyArray<HoldingGroup> => {
  // Networks and addresses without any asset are no lines of the list.
  const shown = by === "asset" ? holdings : holdings.filter(({ row }) => row.balance !== "0")
  return [...Map.groupBy(shown, keys[by])].map(([key, group]) => groupOf(key, by, group, currency))
}

/** A group is small if all its holdings are. */
export const isSmallGroup = ({ holdings, rank, unknown }: HoldingGroup): boolean =>
  unknown === 0 ? rank < 1 : holdings.every(isSmall)

export type SortedBy = "value" | "change" | "name"

const nameOf = ({ holdings: [first] }: HoldingGroup) => sanitized(first?.row.tokenSymbol ?? "").toLowerCase()

/** Sorts by value or change, largest first, with unknown changes last; or by name. */
export const sortedGroups = (groups: ReadonlyArray<HoldingGroup>, by: SortedBy): ReadonlyArray<HoldingGroup> =>
  groups.toSorted((a, b) => {
    if (by === "name") return nameOf(a).localeCompare(nameOf(b))
    if (by === "value") return b.rank - a.rank
    return (b.change?.percent ?? Number.NEGATIVE_INFINITY) - (a.change?.percent ?? Number.NEGATIVE_INFINITY) || 0
  })

/** The part of a group in the total of all known values, from 0 to 1; undefined if it is unknown. */
export const shareOf = ({ value }: HoldingGroup, total: string | null): number | undefined =>
  value === null || total === null || !(Number(total) > 0) ? undefined : Number(value) / Number(total)
