import * as Effect from "effect/Effect"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { concerns, idOf, orderOf, type SubscanRows } from "./history.ts"
import * as SubscanWire from "./SubscanWire.ts"

// Subscan's two lists of an account, transfers and extrinsics, read page by page and joined.

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
  <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>(
    listed: ReadonlyArray<A> | null = [],
    count: number | null = 0
  ): SubscanPage<A> => {
    const all = listed ?? []
    const rows = all.filter((row) => SubscanWire.isWellFormed(row) && concerns(account)(row))
    return { rows, unreadable: all.length - rows.length, count: count ?? 0 }
  }

export interface Sides {
  readonly transfers: SubscanList<SubscanWire.SubscanTransfer>
  readonly extrinsics: SubscanList<SubscanWire.Extrinsic>
}

export const unasked = { rows: [], page: 0, done: false }

/** Reads the next page of a list that ends above the horizon. Cannot fail. */
export const further = <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>(
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
const rowId = (row: SubscanWire.SubscanTransfer | SubscanWire.Extrinsic): string =>
  "amount" in row
    ? [idOf(row), row.event_idx, row.from, row.to, row.amount, row.asset_unique_id].join(" ")
    : row.extrinsic_index

/** Removes duplicate rows of a page; without an event index equal rows may be different transfers. */
const onceEach = <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>(
  rows: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return rows.filter((row) => ("amount" in row && row.event_idx == null) || seen.size < seen.add(rowId(row)).size)
}

/** A list is complete down to this point; transfers of the last extrinsic may continue on the next page. */
const lowest = <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>({ rows }: SubscanList<A>): number => {
  const last = rows.at(-1)
  return last === undefined ? Number.POSITIVE_INFINITY : orderOf(last)
}

/** Newer transactions are complete in both lists, or in the only one that returned anything. */
export const horizon = ({ extrinsics, transfers }: Sides): number => Math.max(floor(transfers), floor(extrinsics))

const floor = <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>(side: SubscanList<A>): number =>
  isWhole(side) || (side.done && side.rows.length === 0) ? Number.NEGATIVE_INFINITY : lowest(side)

export const isWhole = ({ done, fault }: SubscanList<unknown>): boolean => done && fault === undefined

/** The number of rows that are counted by a finished list but were not returned. */
export const unreadRows = ({ count = 0, done, unreadable = 0, rows }: SubscanList<unknown>): number =>
  done ? Math.max(0, count - unreadable - rows.length) : 0

/** Whether another page lowers the horizon. */
const isBehind = <A extends SubscanWire.SubscanTransfer | SubscanWire.Extrinsic>(
  side: SubscanList<A>,
  end: number
): boolean => !side.done && lowest(side) >= end

/** Newest first, down to the horizon. */
export const groups = (sides: Sides): ReadonlyArray<SubscanRows> => {
  const end = horizon(sides)
  const found = new Map<
    string,
    { extrinsic: SubscanWire.Extrinsic | undefined; transfers: Array<SubscanWire.SubscanTransfer> }
  >()
  for (const extrinsic of sides.extrinsics.rows)
    if (orderOf(extrinsic) > end) found.set(idOf(extrinsic), { extrinsic, transfers: [] })
  for (const transfer of sides.transfers.rows) {
    if (orderOf(transfer) <= end) continue
    const group = found.get(idOf(transfer)) ?? { extrinsic: undefined, transfers: [] }
    group.transfers.push(transfer)
    found.set(idOf(transfer), group)
  }
  const place = ({ extrinsic, transfers: [first] }: SubscanRows) => {
    const row = extrinsic ?? first
    return row === undefined ? 0 : orderOf(row)
  }
  return [...found.values()].sort((a, b) => place(b) - place(a))
}

export const enough = (sides: Sides, { limit, since }: HistoryQuery): boolean => {
  const { extrinsics, transfers } = sides
  const end = horizon(sides)
  if (!isBehind(transfers, end) && !isBehind(extrinsics, end)) return true
  const known = groups(sides)
  const oldest = known.at(-1)
  const time = oldest?.extrinsic?.block_timestamp ?? oldest?.transfers[0]?.block_timestamp
  return known.length >= limit || (since !== undefined && time !== undefined && time < since)
}
