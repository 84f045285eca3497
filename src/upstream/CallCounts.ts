import * as Effect from "effect/Effect"

/** A day, ms. */
export const day = 24 * 60 * 60 * 1000

/** Ended calls to an upstream, and how many of them failed. */
export interface CallCount {
  readonly calls: number
  readonly failed: number
}

/** Counts by UTC day (days since 1970), then by upstream. */
export type CallCounts = ReadonlyMap<number, ReadonlyMap<string, CallCount>>

/** Counts of at most this many days wait until they are taken. */
const maxDays = 90

/** Counts calls by day and upstream until the counts are taken. */
export const make = () => {
  let days = new Map<number, Map<string, { calls: number; failed: number }>>()
  const counted = Effect.unsafeMakeLatch()

  const begun = (date: number, upstream: string) => {
    const count = { calls: 0, failed: 0 }
    days.set(date, (days.get(date) ?? new Map()).set(upstream, count))
    if (days.size > maxDays) days.delete(Math.min(...days.keys()))
    counted.unsafeOpen()
    return count
  }

  return {
    add: (upstream: string, isFailed: boolean, at: number): void => {
      const date = Math.floor(at / day)
      const count = days.get(date)?.get(upstream) ?? begun(date, upstream)
      count.calls++
      if (isFailed) count.failed++
    },
    /** Waits until there are counts. */
    counted: counted.await,
    /** The counts that were not taken yet. */
    current: (): CallCounts => days,
    take: (): CallCounts => {
      const taken = days
      counted.unsafeClose()
      days = new Map()
      return taken
    }
  }
}
