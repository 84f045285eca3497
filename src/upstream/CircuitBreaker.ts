import type { Fault } from "./UpstreamError.ts"

/** The longest time that an address stays open after failures, and is called last, ms. */
const longestOpen = 30_000

/** How long a failure explains why no call goes out, ms; after that it is unknown whether the address works. */
const causeLasts = 60_000

/** No host is blocked for longer than this, whatever it demands, ms. */
const longestBlock = 24 * 60 * 60 * 1000

/**
 * Whether an address works: closed, it does; open, it failed a moment ago and others are called first; half-open, its open
 * interval is over and the next call tries it out.
 */
export type CircuitState = "closed" | "open" | "half-open"

/** Why an address is not called. */
export type Cause = Pick<Fault, "reason" | "detail">

export const limited: Cause = { reason: "rate_limited", detail: "rate limit reached" }

/** How long a host demands a pause, from all callers. */
export type Block = ReturnType<typeof block>

/** A pause that is longer than any is left from a clock that was set back, and is over. */
export const block = () => {
  let until = 0
  let by = limited
  const left = (now: number): number => (until > now + longestBlock ? 0 : Math.max(0, until - now))
  return {
    /** How long it still lasts, ms. */
    left,
    /** Why the host demands a pause. */
    cause: (): Cause => by,
    /** The host demands a pause of this length, ms. */
    ask: (rest: number, now: number, cause: Cause): void => {
      const allowed = Math.min(rest, longestBlock)
      if (allowed <= left(now)) return
      until = now + allowed
      by = cause
    }
  }
}

export type Circuit = ReturnType<typeof make>

/**
 * The circuit breaker of one address, by how its calls ended. Each failure in a row doubles its open interval; a
 * good response ends it. An interval that is longer than any is left from a clock that was set back, and is over.
 */
export const make = (blocked: Block = block()) => {
  let failures = 0
  let openUntil = 0
  let trials = 0
  let failed: { readonly cause: Cause; readonly at: number } | undefined
  let answers = 0
  let silence: Cause | undefined

  const state = (now: number): CircuitState => {
    if (failures === 0) return "closed"
    return openUntil > now && openUntil <= now + longestOpen ? "open" : "half-open"
  }

  /** Whether no response came since there were this many. */
  const silentSince = (before: number) => answers === before

  const ended = (now: number, failure: Cause | undefined, retryAfter = 0): void => {
    failed = failure === undefined ? undefined : { cause: failure, at: now }
    if (failure === undefined) {
      failures = 0
      openUntil = 0
    } else if (state(now) !== "open") {
      // What fails while it is open was sent before, and says nothing new.
      failures++
      openUntil = now + Math.min(1_000 * 2 ** (failures - 1), longestOpen)
    }
    blocked.ask(retryAfter, now, failure ?? limited)
  }

  return {
    state,
    /** Whether others are to be called first: it failed a moment ago, or is being tried out. */
    resting: (now: number): boolean => failures > 0 && (state(now) === "open" || trials > 0),
    /** How long the pause that it demanded still lasts, ms. */
    blockedFor: blocked.left,
    /** Why no call goes out to it, where that is its own fault: as long as it is blocked, or failed a moment ago. */
    cause: (now: number): Cause | undefined => {
      if (blocked.left(now) > 0) return blocked.cause()
      return failed !== undefined && failed.at <= now && now < failed.at + causeLasts ? failed.cause : undefined
    },
    /** Why a call need not go out at all: the address was silent, and is open. */
    refusal: (now: number): Cause | undefined => (state(now) === "open" ? silence : undefined),
    /** Why it failed, where it was silent and nothing has come back since. */
    silence: (): Cause | undefined => silence,
    /** The first call after an open interval goes out; what it returns has to be called when it has ended. */
    tried: (): (() => void) => {
      trials++
      return () => {
        trials--
      }
    },
    /** A call ended, with a failure or without; `retryAfter` is the pause that it demanded, ms. */
    ended,
    /** How many responses came, good or not. */
    answers: (): number => answers,
    answered: (): void => {
      answers++
      silence = undefined
    },
    /** A call that began after so many answers was given up after its usual time, because another source had answered. */
    overtaken: (before: number, now: number): void => {
      if (silentSince(before)) ended(now, late)
    },
    /** A call that began after so many answers has timed out; where nothing came back since, the address is silent. */
    silent: (before: number, cause: Cause): void => {
      if (silentSince(before)) silence = cause
    }
  }
}

const late: Cause = { reason: "timeout", detail: "did not answer within its usual time" }
