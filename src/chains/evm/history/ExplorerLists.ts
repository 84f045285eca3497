import * as ExplorerWire from "./ExplorerWire.ts"

/** Where to go on: rows of this block and older ones, and which page of them. */
export interface Cursor {
  readonly end?: number
  readonly page: number
}

/** One page as a source told it. */
export interface ExplorerPage<K extends ExplorerWire.Kind> {
  readonly rows: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  /** Whether there may be another one. */
  readonly full: boolean
}

/** What is known of one list, the newest first. */
export interface Listing<K extends ExplorerWire.Kind> {
  readonly rows: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  /** Every row of this block and newer ones is there; 0 is all of them. */
  readonly floor: number
  /** When the oldest of all that was seen happened, UNIX seconds; what is newer is there. */
  readonly reached: number
  /** Seen, but there may be more of their block. */
  readonly held: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  readonly next: Cursor
}

export const nothing: Listing<never> = {
  rows: [],
  floor: Number.POSITIVE_INFINITY,
  reached: Number.POSITIVE_INFINITY,
  held: [],
  next: { page: 1 }
}

/** The same list after a page of it. A full page ends amid a block: that block is asked for anew, whole. */
export const after = <K extends ExplorerWire.Kind>(
  listing: Listing<K>,
  { full, rows }: ExplorerPage<K>
): Listing<K> => {
  const pool = [...listing.held, ...rows]
  if (!full) return { ...listing, rows: [...listing.rows, ...pool], floor: 0, reached: 0, held: [] }
  const oldest = pool.reduce(
    (least, row) => Math.min(least, ExplorerWire.blockOf(row) ?? least),
    Number.POSITIVE_INFINITY
  )
  const whole = pool.filter((row) => (ExplorerWire.blockOf(row) ?? Number.POSITIVE_INFINITY) > oldest)
  const { page } = listing.next
  if (whole.length === 0 || oldest === Number.POSITIVE_INFINITY)
    return { ...listing, held: pool, next: { ...(Number.isFinite(oldest) ? { end: oldest } : {}), page: page + 1 } }
  const last = pool.find((row) => ExplorerWire.blockOf(row) === oldest)
  return {
    rows: [...listing.rows, ...whole],
    floor: oldest + 1,
    reached: Number(ExplorerWire.told(last?.timeStamp) ?? 0n),
    held: [],
    next: { end: oldest, page: 1 }
  }
}

/** Whether a page is what was asked for: some sources ignore an order or a range that they do not know. */
export const isInOrder = <K extends ExplorerWire.Kind>(
  rows: ReadonlyArray<ExplorerWire.ExplorerRows[K]>,
  { end }: Cursor
): boolean => {
  let above = end ?? Number.POSITIVE_INFINITY
  for (const row of rows) {
    const block = ExplorerWire.blockOf(row)
    if (block === undefined) continue
    if (block > above) return false
    above = block
  }
  return true
}
