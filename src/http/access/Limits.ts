import { andThen, type OrEffect } from "../../kernel/orEffect.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as Allowances from "./Allowances.ts"
import type { Identity } from "./Identity.ts"
import * as KeyUsage from "./KeyUsage.ts"

/** What a client is told that has met its limit. */
export interface LimitRefusal {
  /** Until its next request is accepted. */
  readonly seconds: number
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
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

/** The header fields are those of the IETF's drafts on RateLimit header fields, version 06. */
const refusalOf = (limit: number, seconds: number, period: string): LimitRefusal | undefined =>
  seconds === 0
    ? undefined
    : {
        seconds,
        detail: `More than ${limit} requests ${period}. Try again in ${seconds} s.`,
        headers: {
          "retry-after": String(seconds),
          "ratelimit-limit": String(limit),
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(seconds)
        }
      }

/** A day of UTC, ms. */
const day = 86_400_000

/** A minute's worth at once, then one at a time as they leak; a process takes a tenth of it from the store at once. */
const ofMinute = (limit: number): Allowances.Allowance => ({
  name: `rate ${limit}`,
  capacity: limit,
  interval: 60_000 / limit,
  lease: Math.max(1, Math.floor(limit / 10))
})

/** Less than one request leaks while the day lasts. The limit is not in the name: what was counted counts under another one. */
const ofDay = (perDay: number, now: number): Allowances.Allowance => ({
  name: `day ${Math.floor(now / day)}`,
  capacity: perDay,
  interval: 2 * day,
  lease: 1
})

/** The limits of everybody: of a key its own, of a client without one that of its network. */
export const make = ({ perMinute, processes, quotas }: LimitOptions) => {
  const minutes = Allowances.make(processes, quotas)
  const days = Allowances.make(processes, quotas)
  const usage = KeyUsage.make()

  const inDay = ({ client, key }: Identity, now: number, calls: number): Limited => {
    const { name = "", perDay = 0 } = key() ?? {}
    if (perDay === 0) return undefined
    const allowance = ofDay(perDay, now)
    return andThen(days.take(client(), allowance, now, calls), (wait) => {
      usage.day(name, Math.ceil(days.filled(client(), allowance, now) - 1e-6), perDay)
      return refusalOf(perDay, wait === 0 ? 0 : Math.ceil((day - (now % day)) / 1000), "a day with this key")
    })
  }

  const counted = (identity: Identity, now: number, calls: number, isRest: boolean): Limited => {
    // There is no limit for all, and no key that may have one of its own.
    if (perMinute === 0 && identity.given === undefined) return undefined
    const key = identity.key()
    const limit = key?.perMinute ?? perMinute
    const noted = (refused: LimitRefusal | undefined) => {
      if (key !== undefined) usage.count(key.name, refused === undefined ? "accepted" : "rate_limited", calls)
      return refused
    }
    const wait = limit === 0 ? 0 : minutes.take(identity.client(), ofMinute(limit), now, calls, isRest)
    return andThen(wait, (wait): Limited => {
      const refused = refusalOf(limit, Math.ceil(wait / 1000), "a minute")
      return refused === undefined ? andThen(inDay(identity, now, calls), noted) : noted(refused)
    })
  }

  return {
    usage,
    /** Counts a request; why it must not go on, if it comes too early. */
    take: (identity: Identity, now: number): Limited => counted(identity, now, 1, false),
    /** The same for the calls of a batch beyond its first one. */
    takeRest: (identity: Identity, now: number, calls: number): Limited => counted(identity, now, calls, true)
  }
}
