import * as Schema from "effect/Schema"

/** How many calls a bucket holds at a time, ms. */
export const Level = Schema.Struct({ filled: Schema.NonNegative, at: Schema.NonNegative })
export type Level = typeof Level.Type

const hour = 60 * 60 * 1000

/** No call may wait longer for a permit than this, ms. */
export const longestWait = hour

/** The window of the monthly limit, ms. */
const window = 31 * 24 * hour

/** The calls of half a day of a month may come at once. */
const shareAtOnce = 1 / 62

/**
 * A leaky bucket: each call adds one unit, may go out where there is room for it, and units leak at a steady rate. The
 * level is settled when it is read; a time in the future, left from a clock that was set back, counts as now.
 */
export const make = (burst: number, interval: number, detail: string) => {
  let level = { filled: 0, at: 0 }
  const settled = (now: number) => {
    level = { filled: Math.max(0, level.filled - Math.max(0, now - level.at) / interval), at: now }
    return level
  }
  return {
    detail,
    burst,
    interval,
    settled,
    room: (now: number) => Math.max(0, Math.floor(burst - settled(now).filled + tiny)),
    /** The time until a call would leave this share of the burst, ms; an empty bucket accepts any call. */
    wait: (now: number, reserve: number) => {
      const excess = settled(now).filled + 1 - Math.max(1, burst * (1 - reserve))
      return excess <= tiny ? 0 : Math.ceil(excess * interval)
    },
    add: (now: number, calls: number) => {
      level = { filled: settled(now).filled + calls, at: now }
    },
    /** Replaces the level by one that somebody else has measured. */
    assign: (filled: number, now: number) => {
      level = { filled, at: now }
    },
    /** The calls that waited for their permit before the restart are gone. */
    restore: (stored: Level, now: number) => {
      const left = Math.min(stored.filled - Math.max(0, now - stored.at) / interval, burst)
      level = { filled: settled(now).filled + Math.max(0, left), at: now }
    }
  }
}

export type TokenBucket = ReturnType<typeof make>

/** Less than any relevant part of a call: sums of fractions are not exact. */
const tiny = 1e-6

/**
 * The bucket of a month. No window of 31 days has more than `perMonth` permits (P), restarts included; only a process that
 * is killed loses the permits of its last second. With the burst B, the rate r per ms, the window W, the longest wait L and
 * r = (P - B) / (W + L): a call taken at s gets its permit at g, s <= g <= s + L, and the bucket holds B + r (g - s) at most
 * after it, for it waits until there is room. Between the first call of a window, taken at s1 >= start - L, and its last,
 * taken at s2, the bucket takes in what it holds in the end and what has leaked: B + r (g2 - s2) + r (s2 - s1) =
 * B + r (g2 - s1) <= B + r (W + L) = P. A call that waits only for the other bucket is covered by the same L.
 */
export const ofMonth = (perMonth: number) => {
  const burst = Math.max(1, perMonth * shareAtOnce)
  // Permits are whole, so half a permit more is none; a single call a month would have no rate at all.
  const interval = (window + longestWait) / Math.max(0.5, perMonth - burst)
  return make(burst, interval, "the call limit of this month is reached for now")
}
