import * as Schema from "effect/Schema"

/** Permits granted in a calendar month ("2026-11", UTC), and the time since which they are counted, ms. */
export const MonthCount = Schema.Struct({
  month: Schema.String.pipe(Schema.pattern(/^\d{4}-(0[1-9]|1[0-2])$/)),
  used: Schema.NonNegative,
  since: Schema.NonNegative
})
export type MonthCount = typeof MonthCount.Type

const hour = 60 * 60 * 1000

export const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7)

/** Counts the permits of the current calendar month. */
export const make = () => {
  let count: MonthCount | undefined

  const current = (now: number): MonthCount => {
    const month = monthOf(now)
    if (count === undefined) count = { month, used: 0, since: now }
    // After a count of an earlier month, no permit of this month was missed.
    else if (count.month !== month) count = { month, used: 0, since: count.month < month ? Date.parse(month) : now }
    return count
  }

  return {
    current,
    add: (now: number): void => {
      const before = current(now)
      count = { ...before, used: before.used + 1 }
    },
    /** Replaces the count with one from another source, such as the store. */
    assign: (counted: MonthCount): void => {
      count = counted
    },
    /** Adds the stored count to the count since the start. */
    restore: (stored: MonthCount, now: number): void => {
      const { used } = current(now)
      count = stored
      const before = current(now)
      count = { ...before, used: before.used + used, since: Math.min(before.since, now) }
    },
    /** Expected permits at the end of the month, at the rate since counting started. */
    forecast: (now: number): number => {
      const { month, since, used } = current(now)
      const end = new Date(month)
      end.setUTCMonth(end.getUTCMonth() + 1)
      // The first calls after a start come close together, so the rate is that of at least an hour.
      const pace = used / Math.max(now - since, hour)
      return used + pace * Math.max(0, end.getTime() - now)
    }
  }
}
