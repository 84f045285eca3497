import * as MetricKey from "effect/MetricKey"
import { counters, labelled, noValue } from "../../kernel/counters.ts"
import { andThen, type OrEffect } from "../../kernel/orEffect.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as Allowances from "./Allowances.ts"
import type { ApiKey } from "./ApiKey.ts"
import { clientOfKey, type Identity } from "./Identity.ts"

const keyRequests = "Requests with an API key, by key name and outcome; every call of a batch counts"
const usedKey = MetricKey.gauge("api_key_day_requests", {
  description: "Requests of a key with a daily quota in the current UTC day"
})
const limitOfKey = MetricKey.gauge("api_key_day_limit", { description: "Daily quota of a key" })

const outcomes = ["accepted", "rate_limited", "route_refused"] as const
type KeyOutcome = (typeof outcomes)[number]

/** Usage of the keys in the metrics, by the names that the operator chose. */
const usageMetrics = () => {
  const byKey = new Map<string, ReturnType<typeof counters>>()
  let measured: ReadonlySet<string> = new Set()
  return {
    count: (name: string, outcome: KeyOutcome, calls = 1): void => {
      const count =
        byKey.get(name) ?? counters("api_key_requests_total", keyRequests, { key: [name], outcome: outcomes })
      byKey.set(name, count)
      count(calls, name, outcome)
    },
    /** Replaces the usage of all keys with a daily quota. */
    days: (all: ReadonlyMap<string, { readonly count: number; readonly perDay: number }>): void => {
      for (const key of new Set([...measured, ...all.keys()])) {
        const { count, perDay } = all.get(key) ?? { count: noValue, perDay: noValue }
        labelled(usedKey, { key }).unsafeUpdate(count, [])
        labelled(limitOfKey, { key }).unsafeUpdate(perDay, [])
      }
      measured = new Set(all.keys())
    }
  }
}

/** Response to a client over its rate limit. */
export interface LimitRefusal {
  /** Seconds until its next request is accepted. */
  readonly seconds: number
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
}

/** Refusal of a request; an effect if the store must be called. */
type Limited = OrEffect<LimitRefusal | undefined>

interface LimitOptions {
  /** For all clients without their own limit. */
  readonly perMinute: number
  /** Number of processes that serve the same clients, and the limits that they share through the store. */
  readonly processes: () => number
  readonly quotas?: SharedQuotas
}

/** The header fields follow version 06 of the IETF draft on RateLimit header fields. */
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

/** A UTC day, ms. */
const day = 86_400_000

/** Allows a burst of a minute's requests, then requests as they leak. A process leases a tenth from the store. */
const ofMinute = (limit: number): Allowances.Allowance => ({
  name: `rate ${limit}`,
  capacity: limit,
  interval: 60_000 / limit,
  lease: Math.max(1, Math.floor(limit / 10))
})

/** Less than one request leaks per day. The limit is not part of the name, so that counts stay valid if it changes. */
const ofDay = (perDay: number, now: number): Allowances.Allowance => ({
  name: `day ${Math.floor(now / day)}`,
  capacity: perDay,
  interval: 2 * day,
  lease: 1
})

/** Applies the limit of the key or, without a key, of the client's network. */
export const make = ({ perMinute, processes, quotas }: LimitOptions) => {
  const minutes = Allowances.make(processes, quotas)
  const days = Allowances.make(processes, quotas)
  const usage = usageMetrics()

  const inDay = ({ client, key }: Identity, now: number, calls: number): Limited => {
    const { perDay = 0 } = key() ?? {}
    if (perDay === 0) return undefined
    return andThen(days.take(client(), ofDay(perDay, now), now, calls), (wait) =>
      refusalOf(perDay, wait === 0 ? 0 : Math.ceil((day - (now % day)) / 1000), "per day with this key")
    )
  }

  const counted = (identity: Identity, now: number, calls: number, isRest: boolean): Limited => {
    // No general limit, and no key that may have its own.
    if (perMinute === 0 && identity.given === undefined) return undefined
    const key = identity.key()
    const limit = key?.perMinute ?? perMinute
    const noted = (refused: LimitRefusal | undefined) => {
      if (key !== undefined) usage.count(key.name, refused === undefined ? "accepted" : "rate_limited", calls)
      return refused
    }
    const wait = limit === 0 ? 0 : minutes.take(identity.client(), ofMinute(limit), now, calls, isRest)
    return andThen(wait, (wait): Limited => {
      const refused = refusalOf(limit, Math.ceil(wait / 1000), "per minute")
      return refused === undefined ? andThen(inDay(identity, now, calls), noted) : noted(refused)
    })
  }

  const used = ({ name, perDay }: ApiKey, now: number) =>
    Math.ceil(days.filled(clientOfKey(name), ofDay(perDay, now), now) - 1e-6)

  return {
    /** Counts a request that the key may not send. */
    countRefused: (key: string): void => usage.count(key, "route_refused"),
    /** Updates the gauges of the quotas of these keys, the only ones that exist now. */
    measure: (keys: Iterable<ApiKey>, now: number): void =>
      usage.days(
        new Map(
          Array.from(keys).flatMap((key) =>
            key.perDay === 0 ? [] : [[key.name, { count: used(key, now), perDay: key.perDay }]]
          )
        )
      ),
    /** Counts a request; returns the refusal if the client is over its limit. */
    take: (identity: Identity, now: number): Limited => counted(identity, now, 1, false),
    /** Like `take`, for the calls of a batch after the first. */
    takeRest: (identity: Identity, now: number, calls: number): Limited => counted(identity, now, calls, true)
  }
}
