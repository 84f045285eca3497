import type * as Activity from "../Activity.ts"
import type { Circuit } from "../CircuitBreaker.ts"
import * as RecentTimes from "../RecentTimes.ts"
import type { ConcurrencyLimit } from "./ConcurrencyLimit.ts"

/** The share of the newest responses within the usual time. */
const usualShare = 0.95

/** The shortest usual time, ms: no call is hedged earlier. */
const leastUsual = 300

/** The usual time where there are too few responses, ms; at most half of the time of an attempt. */
const usualAtFirst = 1_000

/** How much longer than its usual time an address is waited for that was silent, ms. */
const probeGrace = 80

/** A call in flight. */
export interface TimedCall {
  readonly started: number
  readonly activity: Activity.Activity | undefined
  /** The limit that the call is counted against, if it is the service's own. */
  readonly concurrency: ConcurrencyLimit | undefined
  /** The number of responses of the address before the call. */
  readonly before: number
  /** The HTTP status of the response, once there is one, good or not. */
  status: number | undefined
}

/** How long the calls to one address take, and whether any of them is overdue. */
export const make = (circuit: Circuit, timeout: number) => {
  const times = RecentTimes.make(usualShare)
  const inFlight = new Set<TimedCall>()

  /** The longest time that a response usually takes, ms. */
  const usual = (): number => Math.max(leastUsual, times.longest() ?? Math.min(usualAtFirst, timeout / 2))

  return {
    usual,
    /** Whether a call is in flight for longer than usual, without any response since it began. */
    overdue: (now: number): boolean => {
      const time = usual()
      for (const { before, started } of inFlight)
        if (now - started >= time && before === circuit.responses()) return true
      return false
    },
    /** How long a call is waited for that tests whether the address responds again, ms. */
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
    /** Given up, because the caller has left or another source was faster; counts only as part of an activity. */
    left: (call: TimedCall, now: number): void => {
      inFlight.delete(call)
      if (call.activity !== undefined && now - call.started >= usual()) circuit.overtaken(call.before, now)
    }
  }
}
