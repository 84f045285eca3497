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
  meaning: "Calls in flight to one upstream host at first; the number then adapts to the host's responses"
})

const max = declare.integer({
  name: "UPSTREAM_CONCURRENCY_MAX",
  default: 64,
  min: 1,
  max: 10_000,
  meaning: "The most calls in flight to one upstream host"
})

/** As the operator has set them. */
export const bounds = Effect.zipWith(start, max, (start, max): Bounds => ({ start: Math.min(start, max), max }))

/** The share of a new value in the averages of the newest and of many response times, and of timeouts. */
const weights = { recent: 1 / 8, usual: 1 / 64, timeouts: 1 / 16 }

/** The host is overloaded if more than this share of the newest calls timed out: two of ten, not one. */
const maxTimeouts = 0.1

/** The host is overloaded if its newest responses take this many times as long as usual. */
const maxSlowdown = 2

/**
 * Adapts the number of concurrent calls to one host to what it bears, by additive increase and multiplicative decrease
 * (RFC 5681). The limit grows only while calls wait for it: by one for each response up to the limit at which the host was
 * last overloaded, then by one for each round of calls. It is halved by a rate limit or several timeouts, and cut by a fifth
 * while response times grow. All calls of a round that ends overloaded count once.
 */
export const make = ({ max, start }: Bounds) => {
  const permits = Permits.make(start)
  let limit = start
  let overloadedAt = max
  let reducedAt = Number.NEGATIVE_INFINITY
  let timeouts = 0
  /** Responses since the limit grew last. */
  let responses = 0
  let recent: number | undefined
  let usual: number | undefined

  const resize = (next: number): void => {
    limit = Math.min(max, Math.max(1, Math.floor(next)))
    responses = 0
    permits.resize(limit)
  }

  /** Not again by calls that started before the last reduction. A reduction after `now` means that the clock was set back. */
  const reduce = (share: number, started: number, now: number): void => {
    if (started < reducedAt && reducedAt <= now) return
    reducedAt = now
    resize(limit * share)
    overloadedAt = limit
  }

  return {
    withPermit: permits.withPermit,
    /** The estimated wait for a permit if a call takes this long, ms. */
    wait: (usual: number): number => Math.floor(permits.waiting() / limit) * usual,
    limit: (): number => limit,
    /** Records the end of a call, with the reason of its failure. */
    ended: (failure: Reason | undefined, started: number, now: number): void => {
      timeouts += weights.timeouts * ((failure === "timeout" ? 1 : 0) - timeouts)
      if (failure === "rate_limited") reduce(1 / 2, started, now)
      else if (timeouts > maxTimeouts) {
        timeouts = 0
        reduce(1 / 2, started, now)
        // A host that was down bears as much as before once it is back.
        overloadedAt = Math.max(overloadedAt, start)
      }
      if (failure !== undefined) return
      const time = Math.max(1, now - started)
      recent = recent === undefined ? time : recent + weights.recent * (time - recent)
      usual = usual === undefined ? time : usual + weights.usual * (time - usual)
      // Requests differ in their cost, so that longer times alone are no reason for fewer calls than at the start.
      if (recent > maxSlowdown * usual) {
        if (limit > start) reduce(Math.max(start / limit, 4 / 5), started, now)
      } else if (permits.waiting() > 0 && ++responses >= (limit < overloadedAt ? 1 : limit)) resize(limit + 1)
    }
  }
}

export type ConcurrencyLimit = ReturnType<typeof make>
