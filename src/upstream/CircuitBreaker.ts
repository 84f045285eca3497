import type { Fault } from "./UpstreamError.ts"

/** The longest open interval of an address after failures, ms; meanwhile it is called last. */
const longestOpen = 30_000

/** A silent address is tested at most so often in an open interval, where all others fail: a dead host gets no more calls. */
const testsWhileOpen = 8

/** How long a failure is given as the reason why no call goes out, ms; later it is unknown whether the address works. */
const causeLasts = 60_000

/** The longest pause that a host can demand, ms. */
const longestBlock = 24 * 60 * 60 * 1000

/**
 * Closed: the address works. Open: it failed a moment ago, and others are called first. Half-open: its open interval is
 * over, and the next call tests it.
 */
export type CircuitState = "closed" | "open" | "half-open"

/** Why an address is not called. */
export type Cause = Pick<Fault, "reason" | "detail">

export const limited: Cause = { reason: "rate_limited", detail: "rate limit reached" }

/** The pause that a host demands of all callers. */
export type Block = ReturnType<typeof block>

/** A pause longer than the longest is left from a clock that was set back, and is over. */
export const block = () => {
  let until = 0
  let by = limited
  const left = (now: number): number => (until > now + longestBlock ? 0 : Math.max(0, until - now))
  return {
    /** The remaining time, ms. */
    left,
    /** Why the host demands a pause. */
    cause: (): Cause => by,
    /** The host demands a pause of this length, ms. */
    demand: (pause: number, now: number, cause: Cause): void => {
      const allowed = Math.min(pause, longestBlock)
      if (allowed <= left(now)) return
      until = now + allowed
      by = cause
    }
  }
}

export type Circuit = ReturnType<typeof make>

/**
 * The circuit breaker of one address, by how its calls ended. Each failure in a row doubles its open interval; a
 * good response ends it. An interval longer than the longest is left from a clock that was set back, and is over.
 */
export const make = (blocked: Block = block()) => {
  let failures = 0
  let openUntil = 0
  let testInterval = 0
  let nextTest = 0
  let probes = 0
  let failed: { readonly cause: Cause; readonly at: number } | undefined
  let responses = 0
  let silence: Cause | undefined

  const state = (now: number): CircuitState => {
    if (failures === 0) return "closed"
    return openUntil > now && openUntil <= now + longestOpen ? "open" : "half-open"
  }

  /** Whether no response came since there were this many. */
  const silentSince = (before: number) => responses === before

  const ended = (now: number, failure: Cause | undefined, retryAfter = 0): void => {
    failed = failure === undefined ? undefined : { cause: failure, at: now }
    if (failure === undefined) {
      failures = 0
      openUntil = 0
    } else if (state(now) !== "open") {
      // A call that fails while it is open was sent before.
      failures++
      const interval = Math.min(1_000 * 2 ** (failures - 1), longestOpen)
      openUntil = now + interval
      testInterval = interval / testsWhileOpen
      nextTest = now + testInterval
    }
    blocked.demand(retryAfter, now, failure ?? limited)
  }

  return {
    state,
    /** Whether others are to be called first: it failed a moment ago, or is being tested. */
    isLastResort: (now: number): boolean => failures > 0 && (state(now) === "open" || probes > 0),
    /** The remaining time of the pause that it demanded, ms. */
    blockedFor: blocked.left,
    /** Why no call goes out to it, where it is at fault: while it is blocked, or where it failed a moment ago. */
    cause: (now: number): Cause | undefined => {
      if (blocked.left(now) > 0) return blocked.cause()
      return failed !== undefined && failed.at <= now && now < failed.at + causeLasts ? failed.cause : undefined
    },
    /** Why a call is not sent at all: the address was silent, and is open. */
    refusal: (now: number): Cause | undefined => (state(now) === "open" ? silence : undefined),
    /** Why it failed, where it was silent and has not responded since. */
    silence: (): Cause | undefined => silence,
    /** Whether it may be tested while it is open. */
    isTestable: (now: number): boolean => probes === 0 && (nextTest <= now || nextTest > now + testInterval),
    /** The first call after an open interval, or a test before its end, begins; the function it returns has to be called when that call has ended. */
    beginProbe: (now: number): (() => void) => {
      probes++
      nextTest = now + testInterval
      return () => {
        probes--
      }
    },
    /** A call ended, with a failure or without; `retryAfter` is the pause that was demanded, ms. */
    ended,
    /** The number of responses, good or not. */
    responses: (): number => responses,
    responded: (): void => {
      responses++
      silence = undefined
    },
    /** A call that began after this many responses was given up after its usual time, as another source was faster. */
    overtaken: (before: number, now: number): void => {
      if (silentSince(before)) ended(now, tooSlow)
    },
    /** A call that began after this many responses has timed out; where none came since, the address is silent. */
    silent: (before: number, cause: Cause): void => {
      if (silentSince(before)) silence = cause
    }
  }
}

const tooSlow: Cause = { reason: "timeout", detail: "did not answer within its usual time" }
