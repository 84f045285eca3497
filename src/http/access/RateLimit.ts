import type { OrEffect } from "../../kernel/orEffect.ts"

interface Bucket {
  /** Below zero where a batch took more than a minute's worth. */
  readonly tokens: number
  readonly at: number
}

/** What a client is told that has met its limit. */
export interface RateRefusal {
  /** Until its next request is accepted. */
  readonly seconds: number
  readonly headers: Readonly<Record<string, string>>
}

/** The header fields are those of the IETF's drafts on RateLimit header fields, version 06. */
export const refusal = (perMinute: number, seconds: number): RateRefusal | undefined =>
  seconds === 0
    ? undefined
    : {
        seconds,
        headers: {
          "retry-after": String(seconds),
          "ratelimit-limit": String(perMinute),
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(seconds)
        }
      }

/** The limit of each client's requests. The results are seconds, 0 for what is accepted; an effect where the store has to be asked. */
export interface RateLimiter {
  /** Takes one at this time (ms). Zero, or how many seconds the client has to wait for its next request. */
  readonly take: (client: string, now: number) => OrEffect<number>
  /**
   * Takes as many for the rest of a batch, whose first call was taken with its request. A batch that is larger than a
   * minute's worth needs all of that, and the client owes what is beyond.
   */
  readonly takeRest: (client: string, now: number, calls: number) => OrEffect<number>
}

/** How many clients are remembered. */
const maxClients = 20_000

/** Where there are too many, this share of them is forgotten at once: finding them takes a scan of all. */
const forgottenShare = 1 / 8

/**
 * A token bucket for each client: a minute's worth at once, then one at a time as they come back. Of too many clients those
 * with the most tokens are forgotten, so that no client gets new tokens by making us forget it.
 */
export const make = (perMinute: number, clients = maxClients) => {
  const buckets = new Map<string, Bucket>()
  const perMillisecond = perMinute / 60_000

  const tokensAt = ({ at, tokens }: Bucket, now: number) =>
    Math.min(perMinute, tokens + Math.max(0, now - at) * perMillisecond)

  const forget = (now: number) => {
    const all = [...buckets].map(([client, bucket]) => ({ client, tokens: tokensAt(bucket, now) }))
    all.sort((a, b) => b.tokens - a.tokens)
    for (const { client } of all.slice(0, Math.ceil(clients * forgottenShare))) buckets.delete(client)
  }

  /** Takes this many tokens where there are `needed` ones; the time until there are, ms. */
  const spend = (client: string, now: number, cost: number, needed: number): number => {
    const bucket = buckets.get(client)
    if (bucket === undefined && buckets.size >= clients) forget(now)
    const tokens = bucket === undefined ? perMinute : tokensAt(bucket, now)
    const missing = needed - tokens
    buckets.set(client, { tokens: missing > 0 ? tokens : tokens - cost, at: now })
    return missing > 0 ? missing / perMillisecond : 0
  }

  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

  return {
    take: (client: string, now: number): number => seconds(spend(client, now, 1, 1)),
    takeRest: (client: string, now: number, calls: number): number => {
      const wait = spend(client, now, calls, Math.min(calls, perMinute - 1))
      // The next try takes one for its request, too.
      return wait === 0 ? 0 : seconds(wait + 1 / perMillisecond)
    }
  } satisfies RateLimiter
}
