import { andThen, type OrEffect } from "../../kernel/orEffect.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as DayQuota from "./DayQuota.ts"
import type { Identity } from "./Identity.ts"
import * as KeyUsage from "./KeyUsage.ts"
import * as RateLimit from "./RateLimit.ts"
import * as SharedDayQuota from "./SharedDayQuota.ts"
import * as SharedRateLimit from "./SharedRateLimit.ts"

/** A refusal, and what it says. */
export interface LimitRefusal extends RateLimit.RateRefusal {
  readonly detail: string
}

/** Why a request must not go on; an effect where the store has to be asked. */
type Limited = OrEffect<LimitRefusal | undefined>

interface LimitOptions {
  /** For all that have no limit of their own. */
  readonly perMinute: number
  /** How many processes serve the same clients, and the limits that they share through the store. */
  readonly processes: number
  readonly quotas?: SharedQuotas
}

const refusalOf = (limit: number, seconds: number, period: string): LimitRefusal | undefined => {
  const refused = RateLimit.refusal(limit, seconds)
  return refused && { ...refused, detail: `More than ${limit} requests ${period}. Try again in ${seconds} s.` }
}

/** The limits of everybody: of a key its own, of a client without one that of its network. */
export const make = ({ perMinute, processes, quotas }: LimitOptions) => {
  const limiters = new Map<number, RateLimit.RateLimiter>()
  const days = quotas === undefined ? DayQuota.make(processes) : SharedDayQuota.make(quotas, processes)
  const usage = KeyUsage.make()

  const limiterFor = (limit: number): RateLimit.RateLimiter =>
    quotas === undefined
      ? RateLimit.make(Math.max(1, limit / processes))
      : SharedRateLimit.make(limit, quotas, processes)

  /** Clients with the same limit share a limiter, in which each has a bucket; there are few different limits. */
  const limiterOf = (limit: number): RateLimit.RateLimiter => {
    const limiter = limiters.get(limit) ?? limiterFor(limit)
    limiters.set(limit, limiter)
    return limiter
  }

  const inDay = ({ client, key }: Identity, now: number, calls: number): Limited => {
    const { name = "", perDay = 0 } = key() ?? {}
    if (perDay === 0) return undefined
    return andThen(days.take(client(), perDay, now, calls), (seconds) => {
      usage.day(name, days.used(client(), now), perDay)
      return refusalOf(perDay, seconds, "a day with this key")
    })
  }

  const counted = (
    identity: Identity,
    calls: number,
    now: number,
    take: (limiter: RateLimit.RateLimiter, client: string) => OrEffect<number>
  ): Limited => {
    // There is no limit for all, and no key that may have one of its own.
    if (perMinute === 0 && identity.given === undefined) return undefined
    const key = identity.key()
    const limit = key?.perMinute ?? perMinute
    const noted = (refused: LimitRefusal | undefined) => {
      if (key !== undefined) usage.count(key.name, refused === undefined ? "accepted" : "rate_limited", calls)
      return refused
    }
    const settled = (seconds: number): Limited => {
      const refused = refusalOf(limit, seconds, "a minute")
      return refused === undefined ? andThen(inDay(identity, now, calls), noted) : noted(refused)
    }
    const seconds = limit === 0 ? 0 : take(limiterOf(limit), identity.client())
    return andThen(seconds, settled)
  }

  return {
    usage,
    /** Counts a request; why it must not go on, if it comes too early. */
    take: (identity: Identity, now: number): Limited =>
      counted(identity, 1, now, (limiter, client) => limiter.take(client, now)),
    /** The same for the calls of a batch beyond its first one. */
    takeRest: (identity: Identity, now: number, calls: number): Limited =>
      counted(identity, calls, now, (limiter, client) => limiter.takeRest(client, now, calls))
  }
}
