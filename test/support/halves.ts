/**
 * Splits a list by each bit of the index and returns both halves of each split: for any two items, a half contains the
 * first without the second and a half contains the second without the first. If tests pass with each half faulty in
 * turn, no item depends on another.
 */
export const halves = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(Math.log2(items.length)) }, (_, bit) =>
    [0, 1].map((side) => items.filter((_, index) => ((index >> bit) & 1) === side))
  ).flat()
