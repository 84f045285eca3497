/** Processes each item in order, at most `limit` items at once. Resolves when all items are processed. */
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
