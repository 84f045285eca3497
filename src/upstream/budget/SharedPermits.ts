import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Level } from "../../storage/quota/Quota.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import type { Limits } from "./Budget.ts"
import * as MonthCount from "./MonthCount.ts"
import * as PermitSource from "./PermitSource.ts"

/** A bucket that only counts: nothing leaks out of it in any time that matters. */
const counter = { capacity: 1e15, interval: 1e15 }

/** One process's share of limits that so many processes have. */
export const shareOf = (limits: Limits, share: number): Limits => ({
  ...limits,
  perSecond: limits.perSecond / share,
  burst: Math.max(1, limits.burst / share),
  ...(limits.perMonth === undefined ? {} : { perMonth: limits.perMonth / share })
})

/**
 * Permits that all processes take of the same buckets in the store; this process sees them as of its last request. While
 * the store is away it goes on with buckets of its own, for its share of the limits.
 */
export const make = (quotas: SharedQuotas, key: string, limits: Limits, share: number): PermitSource.PermitSource => {
  const shared = PermitSource.bucketsOf(limits)
  let alone: PermitSource.Buckets | undefined

  const stored = (now: number) => {
    const { month, since, used } = shared.count.current(now)
    const named = shared.all.map((bucket) => ({
      name: `budget ${key} ${bucket === shared.month ? "month" : "second"}`,
      capacity: bucket.burst,
      interval: bucket.interval,
      known: { filled: bucket.settled(now).filled, since: now }
    }))
    return [...named, { name: `budget ${key} ${month}`, ...counter, known: { filled: used, since } }]
  }

  const reported = (levels: ReadonlyArray<Level>) => {
    shared.all.forEach((bucket, index) => {
      const level = levels[index]
      if (level !== undefined) bucket.assign(level.filled, level.at)
    })
    const count = levels[shared.all.length]
    if (count !== undefined)
      shared.count.assign({ month: MonthCount.monthOf(count.at), used: Math.round(count.filled), since: count.since })
  }

  const quota = quotas.of(stored, reported)

  /** Its share of what was left when the store was last heard of. */
  const part = (now: number) => {
    const own = PermitSource.bucketsOf(shareOf(limits, share))
    own.all.forEach((bucket, index) => {
      bucket.assign((shared.all[index]?.settled(now).filled ?? 0) / share, now)
    })
    own.count.assign(shared.count.current(now))
    return own
  }

  const buckets = (now: number) => {
    if (!quotas.isAway()) {
      alone = undefined
      return shared
    }
    alone ??= part(now)
    return alone
  }

  return {
    buckets,
    take: ({ maxWait, reserve }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const current = buckets(now)
        if (quota.spend(1, now)) {
          PermitSource.takeOf(current, now, 0)
          return Effect.succeed(0)
        }
        if (current !== shared) {
          quota.spendUnleased(1)
          return Effect.succeed(PermitSource.takeOf(current, now, reserve))
        }
        return quota.ask({ units: 1, least: 1, owing: false, reserve, wait: reserve === 0 ? maxWait : 0 })
      })
  }
}
