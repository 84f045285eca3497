import type * as Activity from "./Activity.ts"
import type * as CallTime from "./CallTime.ts"
import * as RecentTimes from "./RecentTimes.ts"
import { type Fault, isSilence, isSlow, type UpstreamError } from "./UpstreamError.ts"

/** Longest open interval of an address after failures, ms; an open address is called last. */
const longestOpen = 30_000

/** Maximum number of tests of a silent address per open interval while all others fail. Limits calls to a dead host. */
const testsWhileOpen = 8

/** Time for which a failure is reported as the reason for not calling, ms; later the address's state is unknown. */
const causeLasts = 60_000

/** Longest demanded pause that a call waits for, ms; an address that demands more is skipped. */
export const longestWait = 1_000

/** True if the host answered the call with a pause for which calls do not wait. */
export const demandsPause = ({ reason, retryAfter = 0, unsent }: UpstreamError): boolean =>
  reason === "rate_limited" && unsent !== true && retryAfter > longestWait

/** The longest pause that a host can demand, ms. */
export const longestBlock = 24 * 60 * 60 * 1000

/** The share of the newest responses within the usual time. */
const usualShare = 0.95

/** The shortest usual time, ms: no call is hedged earlier. */
const leastUsual = 300

/** Usual time while there are too few responses, ms; at most half of the timeout of an attempt. */
const usualAtFirst = 1_000

/** Wait beyond the usual time for an address that was silent, ms. */
const probeGrace = 80

/**
 * Closed: the address works. Open: it failed a moment ago, and others are called first. Half-open: its open interval is
 * over, and the next call tests it.
 */
export type CircuitState = "closed" | "open" | "half-open"

/** The same, or `paused`: the host demanded a pause that calls do not wait for, and is not called before its end. */
export type AddressState = CircuitState | "paused"

/** Reason for not calling an address. */
export type Cause = Pick<Fault, "reason" | "detail">

export const limited: Cause = { reason: "rate_limited", detail: "rate limit reached" }

/** The pause that a host demands of an upstream. */
export type Block = ReturnType<typeof block>

/** A remaining pause above the limit means that the clock was set back; it counts as over. */
export const block = () => {
  let until = 0
  let by = limited
  const left = (now: number): number => (until > now + longestBlock ? 0 : Math.max(0, until - now))
  return {
    left,
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

export type ClientCall = "usual" | "long"

export interface TimedCall {
  readonly time: CallTime.CallTime
  readonly activity: Activity.Activity | undefined
  /** The number of responses of the address before the call. */
  readonly before: number
  /** A client's call: its time depends on the client, not on the address. A `long` call has the time of a request. */
  readonly client: ClientCall | undefined
  /** The number of calls: several in a batch. */
  readonly calls: number
  /** HTTP status of the response, good or not; undefined before there is a response. */
  status: number | undefined
}

/**
 * Each consecutive failure doubles the open interval; a good response ends it. An interval above the limit means that
 * the clock was set back, and counts as over.
 */
const openInterval = () => {
  let failures = 0
  let until = 0
  let testInterval = 0
  let nextTest = 0
  let probes = 0
  let failed: { readonly cause: Cause; readonly at: number } | undefined

  const state = (now: number): CircuitState => {
    if (failures === 0) return "closed"
    return until > now && until <= now + longestOpen ? "open" : "half-open"
  }

  return {
    state,
    /** True if other addresses should be called first: it failed a moment ago, or is being tested. */
    isLastResort: (now: number): boolean => failures > 0 && (state(now) === "open" || probes > 0),
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
    /** Cause of the newest call's failure, unless it is old. */
    recentCause: (now: number): Cause | undefined =>
      failed !== undefined && failed.at <= now && now < failed.at + causeLasts ? failed.cause : undefined,
    /** Records the end of a call, with or without a failure. */
    record: (now: number, cause: Cause | undefined): void => {
      failed = cause && { cause, at: now }
      if (cause === undefined) failures = 0
      // A call that fails while the circuit is open was sent before it opened.
      if (cause === undefined || state(now) === "open") return
      failures++
      const interval = Math.min(1_000 * 2 ** (failures - 1), longestOpen)
      until = now + interval
      testInterval = interval / testsWhileOpen
      nextTest = now + testInterval
    }
  }
}

export type Circuit = ReturnType<typeof make>

/** Circuit breaker of one address, with the times of its calls. `timeout` is that of an attempt, ms. */
export const make = (blocked: Block, timeout: number) => {
  const times = RecentTimes.make(usualShare)
  const inFlight = new Set<TimedCall>()
  const { recentCause, record, ...interval } = openInterval()
  let responses = 0
  let silence: Cause | undefined

  /** True if the call took longer than usual, and the address has not responded to any call since it started. */
  const isSilentSince = ({ before, time }: TimedCall, now: number, limit = usual()): boolean =>
    before === responses && time.isRunning() && time.elapsed(now) >= limit

  /** The longest time that a response usually takes, ms. */
  const usual = (): number => Math.max(leastUsual, times.longest() ?? Math.min(usualAtFirst, timeout / 2))

  return {
    ...interval,
    usual,
    isSilentSince,
    /** True if a call is in flight for longer than usual and there was no response since it started. */
    isOverdue: (now: number): boolean => {
      const time = usual()
      for (const call of inFlight) if (isSilentSince(call, now, time)) return true
      return false
    },
    /** Longest wait for a call that tests whether the address responds again, ms. */
    probeWait: (): number => probeGrace + (times.soFar() ?? leastUsual),
    /** The remaining time of the pause that it demanded, ms. */
    blockedFor: blocked.left,
    addressState: (now: number): AddressState => (blocked.left(now) > longestWait ? "paused" : interval.state(now)),
    /** Reason for not calling the address, if it is at fault: it demanded a pause, or failed a moment ago. */
    cause: (now: number): Cause | undefined => (blocked.left(now) > 0 ? blocked.cause() : recentCause(now)),
    /** Reason for not sending a call at all: the address was silent, and its circuit is open. */
    refusal: (now: number): Cause | undefined => (interval.state(now) === "open" ? silence : undefined),
    /** Failure of an address that was silent and has not responded since. */
    silence: (): Cause | undefined => silence,
    begun: (time: CallTime.CallTime, activity?: Activity.Activity, client?: ClientCall, calls = 1): TimedCall => {
      const call = { time, activity, client, calls, before: responses, status: undefined }
      if (client === undefined) inFlight.add(call)
      return call
    },
    /** Records the end of a call, with or without an error. */
    ended: (call: TimedCall, now: number, error?: UpstreamError): void => {
      inFlight.delete(call)
      if (call.client !== undefined && error !== undefined && isSlow(error)) return
      if (call.status !== undefined) {
        if (call.client === undefined) times.add(call.time.elapsed(now))
        responses++
        silence = undefined
      }
      const cause = error === undefined || error.final === true ? undefined : causeOf(error)
      record(now, cause)
      blocked.demand(error?.retryAfter ?? 0, now, cause ?? limited)
      // A refused connection costs no time and may be retried.
      if (error !== undefined && isSilence(error) && call.before === responses) silence = causeOf(error)
    },
    /**
     * Records a cancelled call: the caller left, another source was faster, or a limit of the service ended it (`isOurs`).
     * Counts as a failure only if it is a part of an activity and was slow, and no limit ended it.
     */
    left: (call: TimedCall, now: number, isOurs: boolean): void => {
      inFlight.delete(call)
      if (!isOurs && call.activity !== undefined && isSilentSince(call, now)) record(now, tooSlow)
    }
  }
}

const causeOf = ({ detail, reason }: UpstreamError): Cause => ({ reason, detail })

const tooSlow: Cause = { reason: "timeout", detail: "did not answer within its usual time" }
