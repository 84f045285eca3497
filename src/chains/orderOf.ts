/** A number that orders rows which come the newest first: the height, then the position within it from the oldest row on. */
export const orderOf = <A>(rows: ReadonlyArray<A>, height: (row: A) => number): ReadonlyArray<number> => {
  const newer = new Map<number, number>()
  for (const row of rows) newer.set(height(row), (newer.get(height(row)) ?? 0) + 1)
  return rows.map((row) => {
    const at = height(row)
    const position = (newer.get(at) ?? 1) - 1
    newer.set(at, position)
    return at + position / 65_536
  })
}

/** The height in such a number. */
export const heightOf = ({ order }: { readonly order: number }): number => Math.floor(order)
