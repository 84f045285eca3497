import * as Schema from "effect/Schema"
import { leakedUntil, tiny } from "../../storage/quota/Quota.ts"

/** Number of calls in a bucket at a time (ms). */
export const Level = Schema.Struct({ filled: Schema.NonNegative, at: Schema.NonNegative })
export type Level = typeof Level.Type

const hour = 60 * 60 * 1000

/** Longest wait of a call for a permit, ms. */
export const longestWait = hour

/** The window of the monthly limit, ms. */
const window = 31 * 24 * hour

/** Share of a month's calls that may be sent at once: half a day. */
const shareAtOnce = 1 / 62

/**
 * Leaky bucket: each call adds one unit and may be sent when there is room for it; units leak at a steady rate. The
 * level is updated when it is read. Its times are of one clock, so that a later one means that the clock was set back.
 */
export const make = (burst: number, interval: number, detail: string) => {
  let level = { filled: 0, at: 0 }
  const settled = (now: number) => {
    level = leakedUntil(level, interval, now, 0)
    return level
  }
  return {
    detail,
    burst,
    interval,
    settled,
    room: (now: number) => Math.max(0, Math.floor(burst - settled(now).filled + tiny)),
    /** Time until a call would leave this share of the burst, ms; an empty bucket accepts any call. */
    wait: (now: number, reserve: number) => {
      const excess = settled(now).filled + 1 - Math.max(1, burst * (1 - reserve))
      return excess <= tiny ? 0 : Math.ceil(excess * interval)
    },
    add: (now: number, calls: number) => {
      level = { ...settled(now), filled: level.filled + calls }
    },
    /** Replaces the level with one from another source, such as the store. */
    assign: (filled: number, now: number) => {
      level = { filled, at: now }
    },
    /** Adds a stored level, without the calls that waited for their permit before the restart. */
    restore: (stored: Level, now: number) => {
      const left = Math.min(leakedUntil(stored, interval, now, 0).filled, burst)
      level = { ...settled(now), filled: level.filled + left }
    }
  }
}

export type TokenBucket = ReturnType<typeof make>

/**
 * Bucket of a month. No window of 31 days has more than `perMonth` permits (P), including restarts; only a killed
 * process loses the permits of its last second. With the burst B, the rate r per ms, the window W, the longest wait L
 * and r = (P - B) / (W + L): a call taken at s gets its permit at g, s <= g <= s + L. It waits until there is room, so
 * the bucket then contains at most B + r (g - s). Between the first call of a window, taken at s1 >= start - L, and its
 * last, taken at s2, the bucket receives its final content plus what has leaked, B + r (g2 - s2) + r (s2 - s1) = B + r
 * (g2 - s1) <= B + r (W + L) = P. A call that waits only for the other bucket is covered by the same L.
 */
export const ofMonth = (perMonth: number) => {
  const burst = Math.max(1, perMonth * shareAtOnce)
  // Permits are whole, so half a permit more grants none; a limit of one call per month would have no rate at all.
  const interval = (window + longestWait) / Math.max(0.5, perMonth - burst)
  return make(burst, interval, "the call limit of this month is reached for now")
}
