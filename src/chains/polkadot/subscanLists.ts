import * as Effect from "effect/Effect"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { concerns, idOf, orderOf, type SubscanChain, type SubscanRows } from "./history.ts"
import * as SubscanWire from "./SubscanWire.ts"

// Subscan's two lists of an account on each chain, transfers and extrinsics, read page by page and joined.

/** The page limit. */
export const pageSize = 100

/** The part of a list that was read, newest first. */
export interface SubscanList<A> {
  readonly rows: ReadonlyArray<A>
  readonly page: number
  /** No further page will be read: the list is at its end, or `fault` says why. */
  readonly done: boolean
  readonly fault?: UpstreamError
  /** The total number of rows, as of the first page. */
  readonly count?: number
  /** Rows left out: they are not of the account, or contain no extrinsic. */
  readonly unreadable?: number
  /** Newer rows are not wanted, UNIX seconds. */
  readonly until: number
}

/** A page, and the number of rows on all pages. */
interface SubscanPage<A> {
  readonly rows: ReadonlyArray<A>
  /** Rows left out: they are not of the account, or contain no extrinsic. */
  readonly unreadable: number
  readonly count: number
}

/** The rows of a page that concern the account. */
export const pageOf =
  (account: string) =>
  <A extends SubscanRow>(listed: ReadonlyArray<A> | null = [], count: number | null = 0): SubscanPage<A> => {
    const all = listed ?? []
    const rows = all.filter((row) => SubscanWire.isWellFormed(row) && concerns(account)(row))
    return { rows, unreadable: all.length - rows.length, count: count ?? 0 }
  }

type SubscanRow = SubscanWire.SubscanTransfer | SubscanWire.Extrinsic

export interface Sides {
  readonly transfers: SubscanList<SubscanWire.SubscanTransfer>
  readonly extrinsics: SubscanList<SubscanWire.Extrinsic>
}

/** Both lists of each chain. */
export type Lists = Readonly<Record<SubscanChain, Sides>>

/** The last second of the relay chain's list: the balances moved to Asset Hub on 4 November 2025. */
const migration = Date.UTC(2025, 10, 5) / 1000 - 1

export const unasked = (before: number = Number.POSITIVE_INFINITY): Lists => {
  const sides = (until: number): Sides => {
    const list = { rows: [], page: 0, done: false, until }
    return { transfers: list, extrinsics: list }
  }
  return { hub: sides(before), relay: sides(Math.min(before, migration)) }
}

/** Reads the next page of a list that ends above the horizon. Cannot fail. */
export const further = <A extends SubscanRow>(
  side: SubscanList<A>,
  end: number,
  page: (at: number) => Effect.Effect<SubscanPage<A>, UpstreamError>
): Effect.Effect<SubscanList<A>> =>
  isBehind(side, end)
    ? Effect.match(page(side.page), {
        onFailure: (fault) => ({ ...side, done: true, fault }),
        onSuccess: ({ count, unreadable, rows: found }) => {
          // New transactions push others to the next page, which repeats them.
          const known = new Set(side.rows.map(rowId))
          const fresh = found.filter((row) => !known.has(rowId(row)))
          return {
            ...side,
            rows: [...side.rows, ...onceEach(fresh)],
            page: side.page + 1,
            unreadable: (side.unreadable ?? 0) + unreadable,
            count: side.count ?? count,
            done: found.length + unreadable < pageSize
          }
        }
      })
    : Effect.succeed(side)

/** Identifies a row: some transfers of an extrinsic differ only in their event. */
const rowId = (row: SubscanRow): string =>
  "amount" in row
    ? [idOf(row), row.event_idx, row.from, row.to, row.amount, row.asset_unique_id].join(" ")
    : row.extrinsic_index

/** Removes duplicate rows of a page; without an event index equal rows may be different transfers. */
const onceEach = <A extends SubscanRow>(rows: ReadonlyArray<A>): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return rows.filter((row) => ("amount" in row && row.event_idx == null) || seen.size < seen.add(rowId(row)).size)
}

/** A list is complete down to this second, of which the next page may have more. */
const lowest = ({ rows, until }: SubscanList<SubscanRow>): number =>
  Math.min(until, rows.at(-1)?.block_timestamp ?? until)

export const listsOf = ({ hub, relay }: Lists): ReadonlyArray<SubscanList<SubscanRow>> => [
  hub.transfers,
  hub.extrinsics,
  relay.transfers,
  relay.extrinsics
]

/** Newer transactions are complete in all lists that could be read, UNIX seconds. */
export const horizon = (lists: Lists): number => Math.max(...listsOf(lists).map(floor))

const floor = (side: SubscanList<SubscanRow>): number =>
  isWhole(side) || (side.done && side.rows.length === 0) ? Number.NEGATIVE_INFINITY : lowest(side)

/** Whether there may be rows of that second or later that were not read. */
export const isOpen = (side: SubscanList<SubscanRow>, since: number): boolean =>
  floor(side) >= since || unreadRows(side) > 0

export const isWhole = ({ done, fault }: SubscanList<unknown>): boolean => done && fault === undefined

/** The number of rows that are counted by a finished list but were not returned. */
export const unreadRows = ({ count = 0, done, unreadable = 0, rows }: SubscanList<unknown>): number =>
  done ? Math.max(0, count - unreadable - rows.length) : 0

/** Whether another page lowers the horizon. */
const isBehind = (side: SubscanList<SubscanRow>, end: number): boolean => !side.done && lowest(side) >= end

/** The transactions of a chain, down to this second. */
const groupsOf = (chain: SubscanChain, { extrinsics, transfers }: Sides, end: number): ReadonlyArray<SubscanRows> => {
  const isWanted = ({ block_timestamp: at }: SubscanRow) => at > end && at <= transfers.until
  const found = new Map<string, SubscanRows & { readonly transfers: Array<SubscanWire.SubscanTransfer> }>()
  for (const extrinsic of extrinsics.rows)
    if (isWanted(extrinsic)) found.set(idOf(extrinsic), { chain, extrinsic, transfers: [] })
  for (const transfer of transfers.rows) {
    if (!isWanted(transfer)) continue
    const group = found.get(idOf(transfer)) ?? { chain, extrinsic: undefined, transfers: [] }
    group.transfers.push(transfer)
    found.set(idOf(transfer), group)
  }
  return [...found.values()]
}

/** Newest first, down to the horizon. */
export const groups = (lists: Lists): ReadonlyArray<SubscanRows> => {
  const end = horizon(lists)
  const found = [...groupsOf("hub", lists.hub, end), ...groupsOf("relay", lists.relay, end)]
  const placed = found.flatMap((group) => {
    const row = group.extrinsic ?? group.transfers[0]
    return row === undefined ? [] : [{ group, at: row.block_timestamp, order: orderOf(group.chain, row) }]
  })
  return placed.sort((a, b) => b.at - a.at || b.order - a.order).map(({ group }) => group)
}

export const enough = (lists: Lists, { limit, since }: HistoryQuery): boolean => {
  const end = horizon(lists)
  if (!listsOf(lists).some((side) => isBehind(side, end))) return true
  return groups(lists).length >= limit || (since !== undefined && end < since)
}
