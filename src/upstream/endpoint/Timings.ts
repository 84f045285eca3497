import type * as Activity from "../Activity.ts"
import type { Circuit } from "../CircuitBreaker.ts"
import * as RecentTimes from "../RecentTimes.ts"
import type { ConcurrencyLimit } from "./ConcurrencyLimit.ts"

/** The share of the newest responses within the usual time. */
const usualShare = 0.95

/** The shortest usual time, ms: no call is hedged earlier. */
const leastUsual = 300

/** Usual time while there are too few responses, ms; at most half of the timeout of an attempt. */
const usualAtFirst = 1_000

/** Wait beyond the usual time for an address that was silent, ms. */
const probeGrace = 80

/** A call in flight. */
export interface TimedCall {
  readonly started: number
  readonly activity: Activity.Activity | undefined
  /** The limit that the call is counted against, if it is the service's own. */
  readonly concurrency: ConcurrencyLimit | undefined
  /** The number of responses of the address before the call. */
  readonly before: number
  /** HTTP status of the response, good or not; undefined before there is a response. */
  status: number | undefined
}

/** Measures the duration of calls to one address, and finds overdue calls. */
export const make = (circuit: Circuit, timeout: number) => {
  const times = RecentTimes.make(usualShare)
  const inFlight = new Set<TimedCall>()

  /** The longest time that a response usually takes, ms. */
  const usual = (): number => Math.max(leastUsual, times.longest() ?? Math.min(usualAtFirst, timeout / 2))

  return {
    usual,
    /** True if a call is in flight for longer than usual and there was no response since it started. */
    overdue: (now: number): boolean => {
      const time = usual()
      for (const { before, started } of inFlight)
        if (now - started >= time && before === circuit.responses()) return true
      return false
    },
    /** Longest wait for a call that tests whether the address responds again, ms. */
    probeWait: (): number => probeGrace + (times.soFar() ?? leastUsual),
    begun: (started: number, activity?: Activity.Activity, concurrency?: ConcurrencyLimit): TimedCall => {
      const call = { started, activity, concurrency, before: circuit.responses(), status: undefined }
      inFlight.add(call)
      return call
    },
    ended: (call: TimedCall, now: number): void => {
      inFlight.delete(call)
      if (call.status === undefined) return
      times.add(now - call.started)
      circuit.responded()
    },
    /** Records a cancelled call: the caller left, or another source was faster. Counts only as part of an activity. */
    left: (call: TimedCall, now: number): void => {
      inFlight.delete(call)
      if (call.activity !== undefined && now - call.started >= usual()) circuit.overtaken(call.before, now)
    }
  }
}
