/** Does the work for each item, for at most `limit` of them at once, in their order; ends when all of it is done. */
export const inParallel = async <A>(
  items: ReadonlyArray<A>,
  limit: number,
  work: (item: A) => Promise<void>
): Promise<void> => {
  let next = 0
  const worker = async () => {
    for (;;) {
      const item = items[next++]
      if (next > items.length || item === undefined) return
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
