import { type Height, height, least, type Seconds, seconds, shift } from "../../../domain/units.ts"
import type { ExplorerRows, Kind } from "../Provider.ts"
import * as ExplorerRow from "./ExplorerRow.ts"

/** Position of a page: rows of block `end` and older blocks, the number of the page, and rows per page. */
export interface Cursor {
  readonly end?: Height
  readonly page: number
  readonly size: number
}

/** A smaller page with the first rows of a page that is too large; undefined if that has only one row. */
export const shrunk = ({ page, size, ...range }: Cursor): Cursor | undefined => {
  const parts = [10, 5, 4, 2].find((number) => size % number === 0) ?? size
  return size === 1 ? undefined : { ...range, page: (page - 1) * parts + 1, size: size / parts }
}

/** One page as a source returned it. */
export interface ExplorerPage<K extends Kind> {
  readonly cursor: Cursor
  readonly rows: ReadonlyArray<ExplorerRows[K]>
  /** Whether there may be another page. */
  readonly full: boolean
}

/** The part of a list that was read, newest first. */
export interface Listing<K extends Kind> {
  readonly rows: ReadonlyArray<ExplorerRows[K]>
  /** All rows of this block and newer blocks are read; 0 if all rows are. */
  readonly completeFrom: Height
  /** Time of the oldest row that was returned; all newer rows are read. */
  readonly reached: Seconds
  /** Rows of the oldest block, which may have more rows. */
  readonly incompleteBlock: ReadonlyArray<ExplorerRows[K]>
  readonly next: Cursor
}

/** Above all blocks. */
export const unlimited = height(Number.POSITIVE_INFINITY)

/** What a list has that was read to its end. */
export const ended = { completeFrom: height(0), reached: seconds(0) }

export const emptyListing: Omit<Listing<never>, "next"> = {
  rows: [],
  completeFrom: unlimited,
  reached: seconds(Number.POSITIVE_INFINITY),
  incompleteBlock: []
}

/** Adds a page to a list. A full page may end within a block: that block is requested again as a whole. */
export const withPage = <K extends Kind>(
  listing: Listing<K>,
  { cursor: { page, size }, full, rows }: ExplorerPage<K>
): Listing<K> => {
  const pool = [...listing.incompleteBlock, ...rows]
  if (!full) return { ...listing, rows: [...listing.rows, ...pool], ...ended, incompleteBlock: [] }
  const oldest = least(...pool.flatMap((row) => ExplorerRow.blockOf(row) ?? []))
  const whole = pool.filter((row) => (ExplorerRow.blockOf(row) ?? unlimited) > oldest)
  if (whole.length === 0 || oldest === unlimited)
    return {
      ...listing,
      incompleteBlock: pool,
      next: { ...(oldest === unlimited ? {} : { end: oldest }), page: page + 1, size }
    }
  const last = pool.find((row) => ExplorerRow.blockOf(row) === oldest)
  return {
    rows: [...listing.rows, ...whole],
    completeFrom: shift(oldest, 1),
    reached: (last && ExplorerRow.timeOf(last)) ?? ended.reached,
    incompleteBlock: [],
    next: { end: oldest, page: 1, size }
  }
}

/** Whether a page fits its request: some sources ignore an order or a range that they do not support. */
export const isInOrder = <K extends Kind>(rows: ReadonlyArray<ExplorerRows[K]>, { end }: Cursor): boolean => {
  let above = end ?? unlimited
  for (const row of rows) {
    const block = ExplorerRow.blockOf(row)
    if (block === undefined) continue
    if (block > above) return false
    above = block
  }
  return true
}
