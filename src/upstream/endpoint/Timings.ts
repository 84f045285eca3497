import type * as Activity from "../Activity.ts"
import type { Circuit } from "../CircuitBreaker.ts"
import * as RecentTimes from "../RecentTimes.ts"

/** The share of the newest responses that took no longer than is usual. */
const usualShare = 0.95

/** No call is hedged before this time has passed, ms. */
const leastUsual = 300

/** What is usual where there are too few responses, ms, and at most half of what an attempt may take. */
const usualAtFirst = 1_000

/** How much longer than its usual time an address is waited for that was silent, ms. */
const trialGrace = 80

/** A call under way. */
export interface TimedCall {
  readonly started: number
  readonly activity: Activity.Activity | undefined
  /** How many responses the address had returned. */
  readonly before: number
  /** Whether a response came, good or not. */
  came: boolean
}

/** How long the calls to one address take, and which of them are late. */
export const make = (circuit: Circuit, timeout: number) => {
  const times = RecentTimes.make(usualShare)
  const inFlight = new Set<TimedCall>()

  /** The longest time that a response usually takes, ms. */
  const usual = (): number => Math.max(leastUsual, times.longest() ?? Math.min(usualAtFirst, timeout / 2))

  return {
    usual,
    /** Whether a call is under way for longer than usual, and nothing has come back since it began. */
    overdue: (now: number): boolean => {
      const time = usual()
      for (const { before, started } of inFlight) if (now - started >= time && before === circuit.answers()) return true
      return false
    },
    /** How long a call is waited for that tries out whether the address responds again, ms. */
    trialWait: (): number => trialGrace + (times.soFar() ?? leastUsual),
    begun: (started: number, activity: Activity.Activity | undefined): TimedCall => {
      const call = { started, activity, before: circuit.answers(), came: false }
      inFlight.add(call)
      return call
    },
    ended: (call: TimedCall, now: number): void => {
      inFlight.delete(call)
      if (!call.came) return
      times.add(now - call.started)
      circuit.answered()
    },
    /** Given up, because the caller has left or another source was faster; calls of nobody's activity say nothing. */
    left: (call: TimedCall, now: number): void => {
      inFlight.delete(call)
      if (call.activity !== undefined && now - call.started >= usual()) circuit.overtaken(call.before, now)
    }
  }
}
