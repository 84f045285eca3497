import * as Effect from "effect/Effect"
import type { Reason } from "../../domain/Reason.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as declare from "../../settings/declare.ts"

export interface Bounds {
  /** Until the first calls have ended. */
  readonly start: number
  readonly max: number
}

const start = declare.integer({
  name: "UPSTREAM_CONCURRENCY",
  default: 8,
  min: 1,
  max: 1_000,
  meaning:
    "Calls in flight to one upstream host at first, of all processes that share the store; the number then adapts to the host's responses"
})

const max = declare.integer({
  name: "UPSTREAM_CONCURRENCY_MAX",
  default: 64,
  min: 1,
  max: 10_000,
  meaning: "The most calls in flight to one upstream host, of all processes that share the store"
})

/** As the operator has set them. */
export const bounds = Effect.zipWith(start, max, (start, max): Bounds => ({ start: Math.min(start, max), max }))

/** The share of a new value in the averages of timeouts, and of the shortest times of rounds. */
const weights = { timeouts: 1 / 16, usual: 1 / 64 }

/** The host is overloaded if more than this share of the newest calls timed out: two of ten, not one. */
const maxTimeouts = 0.1

/** The host is overloaded if its fastest new responses take this many times as long as usual. */
const maxSlowdown = 2

/** Responses of which the fastest counts: calls differ in their cost, but an overloaded host delays all of them. */
const compared = 16

/** Time for which the limit of one address may grow before that of the next, ms. */
const turn = 1_000

/** Multiple of a demanded pause for which no limit grows, but at most for a day. */
const caution = 10

const day = 24 * 60 * 60 * 1000

/**
 * Lets the limits of an upstream's addresses grow one after another: if a host responds to one call too many with a long
 * pause, the others remain. Its pause also stops their growth.
 */
export const growth = () => {
  let by: object | undefined
  let until = 0
  return {
    /** True if the limit of this address may grow now. A time too far ahead means that the clock was set back. */
    begin: (address: object, now: number): boolean => {
      if (address !== by && now < until && until <= now + day) return false
      by = address
      until = now + turn
      return true
    },
    /** The host demanded a pause of this length, ms. */
    stop: (pause: number, now: number): void => {
      by = undefined
      until = Math.max(until, now + Math.min(day, caution * pause))
    }
  }
}

/** The end of a call. */
export interface Ended {
  /** Reason of its failure. */
  readonly failure: Reason | undefined
  /** The pause that the host demanded, ms. */
  readonly pause: number
  readonly started: number
  /** Compared with other calls, as is or relative to the usual time; undefined if it says nothing about the host. */
  readonly time: number | undefined
  /** Of a batch; by default, one. */
  readonly calls?: number
}

/** Compares times by the fastest response of each round. */
const comparing = () => {
  let responses = 0
  let shortest = Number.POSITIVE_INFINITY
  let isSlow = false
  let usual: number | undefined
  return {
    usual: () => usual,
    /** True if the last round was slower than usual. */
    isSlow: () => isSlow,
    add: (time: number): void => {
      shortest = Math.min(shortest, time)
      if (++responses < compared) return
      isSlow = usual !== undefined && shortest > maxSlowdown * usual
      usual = usual === undefined ? shortest : usual + weights.usual * (shortest - usual)
      responses = 0
      shortest = Number.POSITIVE_INFINITY
    }
  }
}

/** Tolerance for rounding errors. */
const tiny = 1e-6

/** Owners of permits: clients are texts, requests of the service's own are objects. */
export const isClient = (owner: Permits.Owner) => typeof owner === "string"

/**
 * Adapts the number of concurrent calls to one host to what it bears, by additive increase and multiplicative decrease
 * (RFC 5681), for all who call it. The limit grows only while calls wait for it: by one for each round of calls, or for
 * each response if calls of the service wait and the limit is below that at which the host was last overloaded. It is
 * halved by a rate limit or several timeouts, and cut by a fifth while response times grow. All calls of a round that ends
 * overloaded count once. `share` processes divide the bounds among each other. If they count their calls together
 * (`isCounted`), the part of each may be less than one call.
 */
export const make = (bounds: Bounds, between = growth(), share = () => 1, isCounted = false) => {
  /** A whole number of calls, or the part of a call that is left to this process. */
  const part = (calls: number): number =>
    calls >= 1 ? Math.floor(calls) : isCounted ? Math.max(1 / share(), calls) : 1
  const maxNow = () => part(bounds.max / share())
  const start = part(bounds.start / share())
  const permits = Permits.make(Math.max(1, start), { isGuest: isClient, isPartial: true })
  const times = comparing()
  let limit = start
  /** The processes among which a limit below one is divided. */
  let dividedBy = share()
  let overloadedAt = bounds.max
  let reducedAt = Number.NEGATIVE_INFINITY
  let timeouts = 0
  /** Responses since the limit grew last. */
  let responses = 0

  /** The limit among the processes that live now. */
  const current = (): number => Math.min(maxNow(), limit < 1 ? part((limit * dividedBy) / share()) : limit)

  const resize = (next: number): void => {
    limit = Math.min(maxNow(), part(next))
    dividedBy = share()
    responses = 0
    permits.resize(Math.max(1, limit))
  }

  /** Not again by calls that started before the last reduction. A reduction after `now` means that the clock was set back. */
  const reduce = (share: number, started: number, now: number): void => {
    if (started <= reducedAt && reducedAt <= now) return
    reducedAt = now
    resize(limit * share)
    overloadedAt = limit
  }

  const mayGrow = (calls: number, now: number): boolean => {
    if (permits.waiting() === 0) return false
    const isUrgent = limit < overloadedAt && permits.waiting(true) > 0
    responses += Math.min(calls, limit)
    return (
      responses >= (isUrgent ? Math.min(1, limit) : limit) &&
      (limit < start || (limit < maxNow() && between.begin(permits, now)))
    )
  }

  return {
    withPermit: permits.withPermit,
    take: permits.take,
    /** The estimated wait for a permit if a call takes this long, ms. */
    wait: (usual: number): number => Math.floor(permits.waiting() / limit) * usual,
    limit: (): number => limit,
    /** The most calls of all processes together, if the part of each is less than one. */
    counted: (): number | undefined => {
      const now = current()
      return now < 1 ? Math.max(1, Math.floor(now * share() + tiny)) : undefined
    },
    /** The time that calls usually take, ms, if it is known. */
    usual: times.usual,
    ended: ({ calls = 1, failure, pause, started, time }: Ended, now: number): void => {
      // Other processes divide the bounds now.
      if (limit !== current()) resize(current())
      timeouts += weights.timeouts * ((failure === "timeout" ? 1 : 0) - timeouts)
      if (failure === "rate_limited") {
        if (pause > 0) between.stop(pause, now)
        reduce(1 / 2, started, now)
      } else if (timeouts > maxTimeouts) {
        timeouts = 0
        reduce(1 / 2, started, now)
        // A host that was down bears as much as before once it is back.
        overloadedAt = Math.max(overloadedAt, start)
      }
      if (failure !== undefined) return
      if (time !== undefined) times.add(time)
      if (times.isSlow()) {
        // Longer times alone are no reason for fewer calls than at the start.
        if (limit > start) reduce(Math.max(start / limit, 4 / 5), started, now)
      } else if (mayGrow(calls, now)) resize(limit < 1 ? limit + 1 / share() : limit + 1)
    }
  }
}

export type ConcurrencyLimit = ReturnType<typeof make>
