/**
 * Splits of a list by each bit of an item's number, either half once: any two items are in different halves at least once
 * in both orders. A fault in one half at a time then shows for every pair that neither depends on the other.
 */
export const halves = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(Math.log2(items.length)) }, (_, bit) =>
    [0, 1].map((side) => items.filter((_, index) => ((index >> bit) & 1) === side))
  ).flat()
