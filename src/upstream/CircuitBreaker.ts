import type { Fault } from "./UpstreamError.ts"

/** Longest open interval of an address after failures, ms; an open address is called last. */
const longestOpen = 30_000

/** Maximum number of tests of a silent address per open interval while all others fail. Limits calls to a dead host. */
const testsWhileOpen = 8

/** Time for which a failure is reported as the reason for not calling, ms; later the address's state is unknown. */
const causeLasts = 60_000

/** The longest pause that a host can demand, ms. */
const longestBlock = 24 * 60 * 60 * 1000

/**
 * Closed: the address works. Open: it failed a moment ago, and others are called first. Half-open: its open interval is
 * over, and the next call tests it.
 */
export type CircuitState = "closed" | "open" | "half-open"

/** Reason for not calling an address. */
export type Cause = Pick<Fault, "reason" | "detail">

export const limited: Cause = { reason: "rate_limited", detail: "rate limit reached" }

/** The pause that a host demands of all callers. */
export type Block = ReturnType<typeof block>

/** A remaining pause above the limit means that the clock was set back; it counts as over. */
export const block = () => {
  let until = 0
  let by = limited
  const left = (now: number): number => (until > now + longestBlock ? 0 : Math.max(0, until - now))
  return {
    /** The remaining time, ms. */
    left,
    /** Why the host demands a pause. */
    cause: (): Cause => by,
    /** Records that the host demands a pause of this length, ms. */
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
 * Circuit breaker of one address. Each consecutive failure doubles its open interval; a good response ends it. An
 * interval above the limit means that the clock was set back, and counts as over.
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

  /** True if there was no response since the count was `before`. */
  const silentSince = (before: number) => responses === before

  const ended = (now: number, failure: Cause | undefined, retryAfter = 0): void => {
    failed = failure === undefined ? undefined : { cause: failure, at: now }
    if (failure === undefined) {
      failures = 0
      openUntil = 0
    } else if (state(now) !== "open") {
      // A call that fails while the circuit is open was sent before it opened.
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
    /** True if other addresses should be called first: it failed a moment ago, or is being tested. */
    isLastResort: (now: number): boolean => failures > 0 && (state(now) === "open" || probes > 0),
    /** The remaining time of the pause that it demanded, ms. */
    blockedFor: blocked.left,
    /** Reason for not calling the address, if it is at fault: it demanded a pause, or failed a moment ago. */
    cause: (now: number): Cause | undefined => {
      if (blocked.left(now) > 0) return blocked.cause()
      return failed !== undefined && failed.at <= now && now < failed.at + causeLasts ? failed.cause : undefined
    },
    /** Reason for not sending a call at all: the address was silent, and its circuit is open. */
    refusal: (now: number): Cause | undefined => (state(now) === "open" ? silence : undefined),
    /** Failure of an address that was silent and has not responded since. */
    silence: (): Cause | undefined => silence,
    /** True if it may be tested while it is open. */
    isTestable: (now: number): boolean => probes === 0 && (nextTest <= now || nextTest > now + testInterval),
    /** Starts a probe: the first call after an open interval, or a test before its end. The result ends the probe. */
    beginProbe: (now: number): (() => void) => {
      probes++
      nextTest = now + testInterval
      return () => {
        probes--
      }
    },
    /** Records the end of a call, with or without a failure; `retryAfter` is the demanded pause, ms. */
    ended,
    /** The number of responses, good or not. */
    responses: (): number => responses,
    responded: (): void => {
      responses++
      silence = undefined
    },
    /** Records a slow call, started after this many responses, that was cancelled for a faster source. */
    overtaken: (before: number, now: number): void => {
      if (silentSince(before)) ended(now, tooSlow)
    },
    /** Records the timeout of a call started after this many responses; without a later one, the address is silent. */
    silent: (before: number, cause: Cause): void => {
      if (silentSince(before)) silence = cause
    }
  }
}

const tooSlow: Cause = { reason: "timeout", detail: "did not answer within its usual time" }
