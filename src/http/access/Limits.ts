import * as DayQuota from "./DayQuota.ts"
import type { Identity } from "./Identity.ts"
import * as KeyUsage from "./KeyUsage.ts"
import * as RateLimit from "./RateLimit.ts"

/** A refusal, and what it says. */
export interface LimitRefusal extends RateLimit.RateRefusal {
  readonly detail: string
}

type RateLimiter = ReturnType<typeof RateLimit.make>

/**
 * The limits of everybody: of a key its own, of a client without one that of its network. `perMinute` holds for all that have
 * no limit of their own.
 */
export const make = (perMinute: number) => {
  const limiters = new Map<number, RateLimiter>()
  const days = DayQuota.make()
  const usage = KeyUsage.make()

  /** Clients with the same limit share a limiter, in which each has a bucket; there are few different limits. */
  const limiterOf = (limit: number): RateLimiter => {
    const limiter = limiters.get(limit) ?? RateLimit.make(limit)
    limiters.set(limit, limiter)
    return limiter
  }

  const refusalOf = (limit: number, seconds: number, period: string): LimitRefusal | undefined => {
    const refused = RateLimit.refusal(limit, seconds)
    return refused && { ...refused, detail: `More than ${limit} requests ${period}. Try again in ${seconds} s.` }
  }

  const inMinute = ({ client, key }: Identity, seconds: (limiter: RateLimiter, client: string) => number) => {
    const limit = key()?.perMinute ?? perMinute
    return limit === 0 ? undefined : refusalOf(limit, seconds(limiterOf(limit), client()), "a minute")
  }

  const inDay = ({ client, key }: Identity, now: number, calls: number) => {
    const { name = "", perDay = 0 } = key() ?? {}
    if (perDay === 0) return undefined
    const seconds = days.take(client(), perDay, now, calls)
    usage.day(name, days.used(client(), now), perDay)
    return refusalOf(perDay, seconds, "a day with this key")
  }

  const counted = ({ key }: Identity, refused: LimitRefusal | undefined, calls: number) => {
    const name = key()?.name
    if (name !== undefined) usage.count(name, refused === undefined ? "accepted" : "rate_limited", calls)
    return refused
  }

  return {
    usage,
    /** Counts a request; why it must not go on, if it comes too early. */
    take: (identity: Identity, now: number): LimitRefusal | undefined =>
      counted(
        identity,
        inMinute(identity, (limiter, client) => limiter.take(client, now)) ?? inDay(identity, now, 1),
        1
      ),
    /** The same for the calls of a batch beyond its first one. */
    takeRest: (identity: Identity, now: number, calls: number): LimitRefusal | undefined =>
      counted(
        identity,
        inMinute(identity, (limiter, client) => limiter.takeRest(client, now, calls)) ?? inDay(identity, now, calls),
        calls
      )
  }
}
