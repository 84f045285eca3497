import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Level, tiny } from "../../storage/quota/Quota.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import type { Limits } from "./Budget.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** Permits granted in a calendar month ("2026-11", UTC), and the time since which they are counted, ms. */
export const MonthCount = Schema.Struct({
  month: Schema.String.pipe(Schema.pattern(/^\d{4}-(0[1-9]|1[0-2])$/)),
  used: Schema.NonNegative,
  since: Schema.NonNegative
})
export type MonthCount = typeof MonthCount.Type

const hour = 60 * 60 * 1000

const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7)

/** Counts the permits of the current calendar month. */
const monthCount = () => {
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

/** The buckets of a budget, and the count of its permits. */
interface Buckets {
  readonly second: TokenBucket.TokenBucket
  readonly month: TokenBucket.TokenBucket | undefined
  /** Both. */
  readonly all: ReadonlyArray<TokenBucket.TokenBucket>
  readonly count: ReturnType<typeof monthCount>
}

export interface PermitSource {
  /** The buckets as known at this time (ms). */
  readonly buckets: (now: number) => Buckets
  /**
   * Takes a permit that should be available by these buckets. Returns the time until it may be used (ms), or undefined
   * if it was not granted; the buckets then show why. `maxWait` is the longest wait of the caller, ms. Cannot fail.
   */
  readonly take: (wanted: { readonly reserve: number; readonly maxWait: number }) => Effect.Effect<number | undefined>
}

/** Reason for rejecting a call that would wait too long in the queue. */
export const queued = "too many calls are queued"

const bucketsOf = ({ burst, perMonth = 0, perSecond }: Limits): Buckets => {
  const second = TokenBucket.make(burst, 1000 / perSecond, queued)
  const month = perMonth > 0 ? TokenBucket.ofMonth(perMonth) : undefined
  return { second, month, all: month === undefined ? [second] : [second, month], count: monthCount() }
}

/** The longest wait for any of the buckets, ms, and its reason. */
export const longest = (buckets: ReadonlyArray<TokenBucket.TokenBucket>, now: number, reserve: number) => {
  let found = { wait: 0, detail: "" }
  for (const { detail, wait } of buckets) {
    const value = wait(now, reserve)
    if (value > found.wait) found = { wait: value, detail }
  }
  return found
}

/** Takes a permit from these buckets and returns the time until it may be used, ms. */
const takeOf = ({ all, count }: Buckets, now: number, reserve: number): number => {
  const { wait } = longest(all, now, reserve)
  for (const { add } of all) add(now, 1)
  count.add(now)
  return wait
}

/** Time until the permit that was taken last may be used, ms. */
const untilRoom = ({ all }: Buckets, now: number): number =>
  Math.max(
    0,
    ...all.map(({ burst, interval, settled }) =>
      Math.ceil((settled(now).filled - Math.max(1, burst) - tiny) * interval)
    )
  )

/** Permits of this process only. `taken` runs after each. */
export const own = (limits: Limits, taken: Effect.Effect<void> = Effect.void): PermitSource => {
  const buckets = bucketsOf(limits)
  return {
    buckets: () => buckets,
    take: ({ reserve }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const wait = takeOf(buckets, now, reserve)
        return Effect.as(taken, wait)
      })
  }
}

/** A bucket that only counts: its leak is negligible. */
const counter = { capacity: 1e15, interval: 1e15 }

/** One process's share of limits that this many processes share. */
export const shareOf = (limits: Limits, share: number): Limits => ({
  ...limits,
  perSecond: limits.perSecond / share,
  burst: Math.max(1, limits.burst / share),
  ...(limits.perMonth === undefined ? {} : { perMonth: limits.perMonth / share })
})

/**
 * Permits that all processes take from the same buckets in the store; this process knows their levels as of its last
 * request. While the store is down, it uses local buckets with its share of the limits.
 */
export const shared = (
  { isFailing, take }: SharedQuotas,
  key: string,
  limits: Limits,
  processes: () => number
): PermitSource => {
  const known = bucketsOf(limits)
  let alone: Buckets | undefined

  const stored = (now: number) => {
    const { month, since, used } = known.count.current(now)
    const named = known.all.map((bucket) => ({
      name: `budget ${key} ${bucket === known.month ? "month" : "second"}`,
      capacity: bucket.burst,
      interval: bucket.interval,
      localLevel: { filled: bucket.settled(now).filled, since: now }
    }))
    return [...named, { name: `budget ${key} ${month}`, ...counter, localLevel: { filled: used, since } }]
  }

  const reported = (levels: ReadonlyArray<Level>) => {
    known.all.forEach((bucket, index) => {
      const level = levels[index]
      if (level !== undefined) bucket.assign(level.filled, level.at)
    })
    const count = levels[known.all.length]
    if (count !== undefined)
      known.count.assign({ month: monthOf(count.at), used: Math.round(count.filled), since: count.since })
  }

  /** This process's share of the permits that were left when the store last responded. */
  const part = (now: number) => {
    const share = processes()
    const own = bucketsOf(shareOf(limits, share))
    own.all.forEach((bucket, index) => {
      bucket.assign((known.all[index]?.settled(now).filled ?? 0) / share, now)
    })
    own.count.assign(known.count.current(now))
    return own
  }

  const buckets = (now: number) => {
    if (!isFailing()) {
      alone = undefined
      return known
    }
    alone ??= part(now)
    return alone
  }

  return {
    buckets,
    take: ({ maxWait, reserve }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const current = buckets(now)
        if (current !== known) return Effect.succeed(takeOf(current, now, reserve))
        const wait = reserve === 0 ? maxWait : 0
        const place = `budget ${key}`
        return Effect.map(take({ buckets: stored(now), place, units: 1, minUnits: 1, reserve, wait }), (taken) => {
          if (taken === undefined) return undefined
          reported(taken.levels)
          return taken.isGranted ? untilRoom(known, now) : undefined
        })
      })
  }
}
