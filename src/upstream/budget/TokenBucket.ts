import * as Schema from "effect/Schema"

/** How many calls a bucket holds, as of a time, ms. */
export const Level = Schema.Struct({ filled: Schema.Number, at: Schema.Number })
export type Level = typeof Level.Type

const hour = 60 * 60 * 1000

/** Nobody may wait longer for a turn than this. */
export const longestWait = hour

/** The window of the month's promise. */
const window = 31 * 24 * hour

/** Half a day of a month. */
const shareAtOnce = 1 / 62

/**
 * A bucket that holds calls and runs out at a steady pace. Each call adds one, and may go out where there is room for it.
 * Runs out while it is read; a time to come, left from a clock that was set back, counts as now.
 */
export const make = (burst: number, interval: number, detail: string) => {
  let level = { filled: 0, at: 0 }
  const settled = (now: number) => {
    level = { filled: Math.max(0, level.filled - Math.max(0, now - level.at) / interval), at: now }
    return level
  }
  return {
    detail,
    settled,
    room: (now: number) => Math.max(0, Math.floor(burst - settled(now).filled + tiny)),
    /** Time until a call would leave that share of the burst; an empty bucket takes any. */
    wait: (now: number, leaves: number) => {
      const excess = settled(now).filled + 1 - Math.max(1, burst * (1 - leaves))
      return excess <= tiny ? 0 : Math.ceil(excess * interval)
    },
    add: (now: number, calls: number) => {
      level = { filled: settled(now).filled + calls, at: now }
    },
    /** Those who waited for their turn before the restart are gone. */
    restore: (stored: Level, now: number) => {
      const left = Math.min(stored.filled - Math.max(0, now - stored.at) / interval, burst)
      level = { filled: settled(now).filled + Math.max(0, left), at: now }
    }
  }
}

/** Less than any part of a call that matters: sums of fractions are not exact. */
const tiny = 1e-6

/**
 * The month's bucket. No window of 31 days has more than `perMonth` turns (P), restarts included; only a process that is
 * killed loses the turns of its last second. With the burst B, the pace r a ms, the window W, the longest patience L and
 * r = (P - B) / (W + L): a call taken at s gets its turn at g, s <= g <= s + L, and the bucket holds B + r (g - s) at most
 * after it, for it waits until there is room. Between the first call of a window, taken at s1 >= start - L, and its last,
 * taken at s2, the bucket takes in what it holds in the end and what has run out: B + r (g2 - s2) + r (s2 - s1) =
 * B + r (g2 - s1) <= B + r (W + L) = P. A call that waits for the other bucket alone is covered by the same L.
 */
export const ofMonth = (perMonth: number) => {
  const burst = Math.max(1, perMonth * shareAtOnce)
  // Turns are whole, so half a one more is none; a single call a month would have no pace at all.
  const interval = (window + longestWait) / Math.max(0.5, perMonth - burst)
  return make(burst, interval, "the call limit of this month is reached for now")
}
