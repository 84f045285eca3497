/**
 * A number that orders rows which come the newest first: the height, then the position within it. Counted from the newest
 * row on, it is the same however many older rows were read.
 */
export const orderOf = <A>(rows: ReadonlyArray<A>, height: (row: A) => number): ReadonlyArray<number> => {
  const newer = new Map<number, number>()
  return rows.map((row) => {
    const at = height(row)
    const position = (newer.get(at) ?? 0) + 1
    newer.set(at, position)
    return at + 1 - position / 65_536
  })
}

/** The height in such a number. */
export const heightOf = ({ order }: { readonly order: number }): number => Math.floor(order)
