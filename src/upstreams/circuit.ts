import type { Fault } from "./UpstreamError.ts"

/** After failures an address is asked last for so long at most, ms. */
const longestRest = 30_000

/** A failure says for so long why no call goes out, ms; after that nobody knows whether the address works. */
const causeLasts = 60_000

/** No address is left alone for longer than this, whatever it asks for, ms. */
const longestBlock = 10 * 60 * 1000

/**
 * Whether an address works: closed, it does; open, it failed a moment ago and others are asked first; half-open, its rest
 * is over and the next call tries it out.
 */
export type State = "closed" | "open" | "half-open"

/** Why an address is not asked. */
export type Cause = Pick<Fault, "reason" | "detail">

export const limited: Cause = { reason: "rate_limited", detail: "rate limit reached" }

export type Circuit = ReturnType<typeof make>

/**
 * The circuit breaker of one address, by how its calls ended. Each failure in a row doubles its rest; a good answer ends
 * it. A pause that is longer than any is left from a clock that was set back, and is over.
 */
export const make = () => {
  let strikes = 0
  let restUntil = 0
  let blockedUntil = 0
  let trials = 0
  let failed: { readonly cause: Cause; readonly at: number } | undefined
  let blockedBy = limited

  const blockedFor = (now: number): number => (blockedUntil > now + longestBlock ? 0 : Math.max(0, blockedUntil - now))

  const state = (now: number): State => {
    if (strikes === 0) return "closed"
    return restUntil > now && restUntil <= now + longestRest ? "open" : "half-open"
  }

  return {
    state,
    /** Whether others are to be asked first: it failed a moment ago, or is being tried out. */
    resting: (now: number): boolean => strikes > 0 && (state(now) === "open" || trials > 0),
    /** How long it still wants to be left alone, ms. */
    blockedFor,
    /** Why no call goes out to it, where that is its own fault: as long as it is blocked, or failed a moment ago. */
    cause: (now: number): Cause | undefined => {
      if (blockedFor(now) > 0) return blockedBy
      return failed !== undefined && failed.at <= now && now < failed.at + causeLasts ? failed.cause : undefined
    },
    /** A call goes out; what it returns is to be told how it ended, or that it was given up. */
    begun: (now: number): boolean => {
      const trial = state(now) === "half-open"
      if (trial) trials++
      return trial
    },
    /** A call was given up before it had ended. */
    left: (trial: boolean): void => {
      if (trial) trials--
    },
    /** A call ended, with a failure or without; `retryAfter` is the rest that it asked for, ms. */
    ended: (trial: boolean, now: number, failure: Cause | undefined, retryAfter = 0): void => {
      if (trial) trials--
      failed = failure === undefined ? undefined : { cause: failure, at: now }
      if (failure === undefined) {
        strikes = 0
        restUntil = 0
      } else if (state(now) !== "open") {
        // What fails while it rests was asked before, and tells nothing new.
        strikes++
        restUntil = now + Math.min(1_000 * 2 ** (strikes - 1), longestRest)
      }
      const block = Math.min(retryAfter, longestBlock)
      if (block > blockedFor(now)) {
        blockedUntil = now + block
        blockedBy = failure ?? limited
      }
    }
  }
}
