import { WalletDataError } from "../../client/Client.ts"

export const chunked = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

const tooLarge = 413

/** Splits a request that the service rejected as too large in half; undefined if smaller requests would not help. */
export const halvesOf = <A>(items: ReadonlyArray<A>, error: unknown): ReadonlyArray<ReadonlyArray<A>> | undefined =>
  error instanceof WalletDataError && error.status === tooLarge && items.length > 1
    ? chunked(items, Math.ceil(items.length / 2))
    : undefined

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

/** Interval of rendering while rows arrive, in ms: rendering for each of thousands of rows would be too slow. */
const drawnEvery = 100

/** Wait after rendering, as a multiple of the rendering time: leaves most of the time to the user. */
const share = 4

/** Passes the first value at once, then the newest value of each interval; none after the signal is aborted. */
export const throttled = <A>(pass: (value: A) => void, signal: AbortSignal) => {
  let newest: (() => A) | undefined
  let isWaiting = false
  const draw = () => {
    isWaiting = newest !== undefined
    if (newest === undefined || signal.aborted) return
    const began = performance.now()
    pass(newest())
    newest = undefined
    // When the outer timer fires, rendering is complete.
    setTimeout(() => setTimeout(draw, Math.max(drawnEvery, share * (performance.now() - began))))
  }
  return (value: () => A) => {
    newest = value
    if (!isWaiting) draw()
  }
}
