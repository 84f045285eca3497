import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OrEffect } from "../../kernel/orEffect.ts"
import { type Level, leakedUntil, tiny } from "../../storage/quota/Quota.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"

/** Rate limit of a client: a leaky bucket. */
export interface Allowance {
  /** Name of the bucket; a client has one bucket per name. */
  readonly name: string
  readonly capacity: number
  /** The time in which one request leaks, ms. */
  readonly interval: number
  /** Requests taken from the store at once and accepted later without it. Unused requests of a process leak too. */
  readonly lease: number
}

interface Bucket {
  allowance: Allowance
  /** Level that the store reported last, plus the requests accepted without the store since. */
  shared: Pick<Level, "at" | "filled">
  /** Level of this process's share. */
  own: Pick<Level, "at" | "filled">
  leased: number
  isRequested: boolean
  /** Bucket of the allowance before: a clock that goes forward and back returns to it. */
  earlier: Bucket | undefined
}

/** A number of requests of a client at this time, ms. */
interface Requested {
  readonly client: string
  readonly now: number
  readonly requests: number
  readonly allowsOverdraft: boolean
}

export interface Allowances {
  /**
   * Takes a number of requests at this time (ms). Returns 0 if they are accepted, or else the time until they fit, ms;
   * an effect if the store must be called. With `allowsOverdraft`, accepts more than the capacity if at most one request is
   * counted in the bucket; the client owes the rest.
   */
  readonly take: (
    client: string,
    allowance: Allowance,
    now: number,
    requests: number,
    allowsOverdraft?: boolean
  ) => OrEffect<number>
  /** Number of accepted requests that have not leaked. */
  readonly filled: (client: string, allowance: Allowance, now: number) => number
}

/** Number of clients in memory; the store still counts the requests of others. */
const maxClients = 20_000

/** Share of the clients that is removed at once if there are too many, because finding them takes a scan of all. */
const evictedShare = 1 / 8

/**
 * With a store, all processes take from the same bucket. Without it, or while it is down, each process has its share,
 * limited by what was left when the store last responded. If there are too many clients, those with the most left are
 * removed, so that a client does not gain from being removed.
 */
export const make = (processes: () => number, quotas?: SharedQuotas, clients = maxClients): Allowances => {
  const buckets = new Map<string, Bucket>()

  const forget = (now: number) => {
    const all = [...buckets].map(([client, { allowance, own, shared }]) => ({
      client,
      filled:
        Math.max(...[own, shared].map((level) => leakedUntil(level, allowance.interval, now).filled)) /
        allowance.capacity
    }))
    all.sort((a, b) => a.filled - b.filled)
    for (const { client } of all.slice(0, Math.ceil(clients * evictedShare))) buckets.delete(client)
  }

  const of = (client: string, allowance: Allowance, now: number): Bucket => {
    const found = buckets.get(client)
    if (found !== undefined && found.allowance.name === allowance.name) {
      // Requests counted so far also count under a new capacity.
      found.allowance = allowance
      return found
    }
    if (found === undefined && buckets.size >= clients) forget(now)
    const empty = { filled: 0, at: now }
    const bucket: Bucket =
      found?.earlier?.allowance.name === allowance.name
        ? found.earlier
        : { allowance, shared: empty, own: empty, leased: 0, isRequested: false, earlier: undefined }
    bucket.allowance = allowance
    bucket.earlier = found
    // A chain would keep the buckets of all days.
    if (found !== undefined) found.earlier = undefined
    buckets.set(client, bucket)
    return bucket
  }

  return {
    take: (client, allowance, now, requests, allowsOverdraft = false) => {
      const bucket = of(client, allowance, now)
      const requested = { client, now, requests, allowsOverdraft }
      return quotas === undefined
        ? takeOwn(bucket, processes(), requested)
        : takeShared(quotas, bucket, processes, requested)
    },
    filled: (client, { interval, name }, now) => {
      const found = buckets.get(client)
      return found?.allowance.name === name ? leakedUntil(found.shared, interval, now).filled : 0
    }
  }
}

/** Number of free units that these requests need. */
const neededOf = (requests: number, capacity: number, allowsOverdraft: boolean) =>
  allowsOverdraft ? Math.min(requests, capacity - 1) : requests

const takeOwn = (bucket: Bucket, processes: number, { allowsOverdraft, now, requests }: Requested): number => {
  const { capacity, interval } = bucket.allowance
  const share = Math.max(1, capacity / processes)
  const each = (interval * capacity) / share
  bucket.own = leakedUntil(bucket.own, each, now, 0)
  bucket.shared = leakedUntil(bucket.shared, interval, now, 0)
  const needed = neededOf(requests, share, allowsOverdraft)
  const missing = Math.max(needed - (share - bucket.own.filled), needed - (capacity - bucket.shared.filled))
  if (missing > tiny) return (missing + (allowsOverdraft ? 1 : 0)) * each
  for (const level of ["own", "shared"] as const)
    bucket[level] = { ...bucket[level], filled: bucket[level].filled + requests }
  return 0
}

/** Takes from the bucket of all processes, or from the units leased from it. */
const takeShared = (
  quotas: SharedQuotas,
  bucket: Bucket,
  processes: () => number,
  requested: Requested
): OrEffect<number> => {
  const { client, allowsOverdraft, now, requests } = requested
  if (quotas.isFailing()) return takeOwn(bucket, processes(), requested)
  const { leased } = bucket
  if (leased >= requests) {
    bucket.leased -= requests
    return 0
  }
  const { capacity, interval, lease, name } = bucket.allowance
  bucket.shared = leakedUntil(bucket.shared, interval, now)
  const needed = neededOf(requests, capacity, allowsOverdraft) - leased
  const free = capacity - bucket.shared.filled
  if (needed - free > tiny) return (needed - free + (allowsOverdraft ? 1 : 0)) * interval
  // Only the first of concurrent requests takes a lease.
  const ahead = allowsOverdraft || bucket.isRequested ? 0 : Math.max(0, Math.floor(Math.min(lease, free)) - needed)
  bucket.leased = 0
  bucket.isRequested = true
  const hashed = createHash("sha256").update(client).digest("base64url")
  const known = { filled: bucket.shared.filled, since: now }
  const taking = quotas.take({
    buckets: [{ name: `${name} ${hashed}`, capacity, interval, localLevel: known }],
    units: requests - leased + ahead,
    minUnits: needed + ahead,
    reserve: 0,
    wait: 0
  })
  const isOver = Effect.sync(() => {
    bucket.isRequested = false
  })
  return Effect.flatMap(Effect.zip(Effect.ensuring(taking, isOver), Clock.currentTimeMillis), ([taken, later]) => {
    if (taken?.levels[0] !== undefined) bucket.shared = taken.levels[0]
    bucket.leased += taken?.isGranted === true ? ahead : leased
    if (taken?.isGranted === true) return Effect.succeed(0)
    const again = takeShared(quotas, bucket, processes, { ...requested, now: later })
    return Effect.isEffect(again) ? again : Effect.succeed(again)
  })
}
