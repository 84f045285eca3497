import { type Count, numberOf } from "../../../domain/units.ts"

/**
 * Returns sort keys for rows in newest-first order: the height, then the position within it. Positions count from the
 * newest row, so reading more old rows does not change them.
 */
export const orderOf = <A>(rows: ReadonlyArray<A>, height: (row: A) => Count): ReadonlyArray<number> => {
  const newer = new Map<number, number>()
  return rows.map((row) => {
    const at = numberOf(height(row))
    const position = (newer.get(at) ?? 0) + 1
    newer.set(at, position)
    return at + 1 - position / 65_536
  })
}

/** Returns the height in such a sort key, in the unit of the network. */
export const heightOf =
  <P extends Count>(unit: (value: number) => P) =>
  ({ order }: { readonly order: number }): P =>
    unit(Math.floor(order))
