/**
 * Returns sort keys for rows in newest-first order: the height, then the position within it. Positions count from the
 * newest row, so reading more old rows does not change them.
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

/** The height in such a sort key. */
export const heightOf = ({ order }: { readonly order: number }): number => Math.floor(order)
