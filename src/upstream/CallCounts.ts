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
  return {
    add: (upstream: string, isFailed: boolean, at: number): void => {
      const date = Math.floor(at / day)
      const upstreams = days.get(date) ?? new Map<string, { calls: number; failed: number }>()
      const count = upstreams.get(upstream) ?? { calls: 0, failed: 0 }
      count.calls++
      if (isFailed) count.failed++
      upstreams.set(upstream, count)
      days.set(date, upstreams)
      counted.unsafeOpen()
      if (days.size > maxDays) days.delete(Math.min(...days.keys()))
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
