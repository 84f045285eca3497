import * as Effect from "effect/Effect"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as DayQuota from "./DayQuota.ts"
import * as SharedBucket from "./SharedBucket.ts"

/** Of a bucket for a day less than one unit leaks while it counts. */
const interval = 2 * DayQuota.day

/** How long a process is refused by what the store reported, ms: in this time others give back what they leased and do not use. */
const lastingReport = 1_000

/** What is counted of a client on one day. */
interface DayBucket extends SharedBucket.SharedBucket {
  readonly day: number
  readonly perDay: number
}

/**
 * {@link DayQuota.make} over all processes that share the store, and over their restarts. While the store is away this
 * process has its share of every quota, never more than what was left; the store is told of it afterwards.
 */
export const make = (quotas: SharedQuotas, processes: number): DayQuota.DayQuotas => {
  const alone = DayQuota.make(processes)
  const buckets = new Map<string, DayBucket>()

  const of = (client: string, perDay: number, now: number): DayBucket => {
    const today = DayQuota.dayOf(now)
    const found = buckets.get(client)
    if (found?.day === today && found.perDay === perDay) return found
    // Without the limit in its name: what was counted counts under another limit, too.
    const name = () => `day ${today} ${SharedBucket.hashed(client)}`
    const bucket = { ...SharedBucket.make(quotas, { name, capacity: perDay, interval }), day: today, perDay }
    buckets.set(client, bucket)
    return bucket
  }

  return {
    take: (client, perDay, now, calls) => {
      const { add, quota, reportedAt, wait } = of(client, perDay, now)
      const fits = () => wait(calls, now) === 0
      const withoutStore = (): number => {
        const seconds = fits() ? alone.take(client, perDay, now, calls) : DayQuota.untilNextDay(now)
        if (seconds > 0) return seconds
        quota.spendUnleased(calls)
        add(calls)
        return 0
      }
      if (quotas.isAway()) return withoutStore()
      if (quota.spend(calls, now)) {
        add(calls)
        return 0
      }
      if (!fits() && Math.abs(now - reportedAt()) < lastingReport) return DayQuota.untilNextDay(now)
      // Several calls are granted together or not at all, which only what is owed is.
      return Effect.map(quota.ask({ units: calls, least: calls, owing: calls > 1, reserve: 0, wait: 0 }), (granted) => {
        if (granted !== undefined) return 0
        return quotas.isAway() ? withoutStore() : DayQuota.untilNextDay(now)
      })
    },
    used: (client, now) => {
      const found = buckets.get(client)
      return found?.day === DayQuota.dayOf(now) ? Math.ceil(found.filled(now) - 1e-6) : 0
    }
  }
}
