import * as ExplorerWire from "./ExplorerWire.ts"

/** The next page: rows of this block and older ones, and the number of the page. */
export interface Cursor {
  readonly end?: number
  readonly page: number
}

/** One page as a source returned it. */
export interface ExplorerPage<K extends ExplorerWire.Kind> {
  readonly rows: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  /** Whether there may be another page. */
  readonly full: boolean
}

/** One list as far as it was read, the newest first. */
export interface Listing<K extends ExplorerWire.Kind> {
  readonly rows: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  /** All rows of this block and newer ones are read; 0 where all rows are. */
  readonly floor: number
  /** The time of the oldest row that was returned, UNIX seconds; everything newer is read. */
  readonly reached: number
  /** Rows of the oldest block, which may have more rows. */
  readonly incompleteBlock: ReadonlyArray<ExplorerWire.ExplorerRows[K]>
  readonly next: Cursor
}

export const nothing: Listing<never> = {
  rows: [],
  floor: Number.POSITIVE_INFINITY,
  reached: Number.POSITIVE_INFINITY,
  incompleteBlock: [],
  next: { page: 1 }
}

/** The list with one more page. A full page may end within a block: that block is requested again as a whole. */
export const after = <K extends ExplorerWire.Kind>(
  listing: Listing<K>,
  { full, rows }: ExplorerPage<K>
): Listing<K> => {
  const pool = [...listing.incompleteBlock, ...rows]
  if (!full) return { ...listing, rows: [...listing.rows, ...pool], floor: 0, reached: 0, incompleteBlock: [] }
  const oldest = pool.reduce(
    (least, row) => Math.min(least, ExplorerWire.blockOf(row) ?? least),
    Number.POSITIVE_INFINITY
  )
  const whole = pool.filter((row) => (ExplorerWire.blockOf(row) ?? Number.POSITIVE_INFINITY) > oldest)
  const { page } = listing.next
  if (whole.length === 0 || oldest === Number.POSITIVE_INFINITY)
    return {
      ...listing,
      incompleteBlock: pool,
      next: { ...(Number.isFinite(oldest) ? { end: oldest } : {}), page: page + 1 }
    }
  const last = pool.find((row) => ExplorerWire.blockOf(row) === oldest)
  return {
    rows: [...listing.rows, ...whole],
    floor: oldest + 1,
    reached: Number(ExplorerWire.numberIn(last?.timeStamp) ?? 0n),
    incompleteBlock: [],
    next: { end: oldest, page: 1 }
  }
}

/** Whether a page fits its request: some sources ignore an order or a range that they do not support. */
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
