import type * as Activity from "./Activity.ts"
import type { Circuit } from "./CircuitBreaker.ts"
import * as RecentTimes from "./RecentTimes.ts"

/** Of the newest answers so many took no longer than is usual. */
const usualShare = 0.95

/** Nobody is helped out before so much time has passed, ms. */
const leastUsual = 300

/** What is usual where too little is known, ms, and at most half of what an attempt may take. */
const usualAtFirst = 1_000

/** An address that was silent is waited for so much longer than it usually took before, ms. */
const trialGrace = 80

/** A call under way. */
export interface TimedCall {
  readonly started: number
  readonly activity: Activity.Activity | undefined
  /** How many answers the address had given. */
  readonly before: number
  /** Whether an answer came, good or not. */
  came: boolean
}

/** How long the calls to one address take, and which of them are late. */
export const make = (circuit: Circuit, timeout: number) => {
  const times = RecentTimes.make(usualShare)
  const underWay = new Set<TimedCall>()

  /** So much time an answer usually takes at most, ms. */
  const usual = (): number => Math.max(leastUsual, times.longest() ?? Math.min(usualAtFirst, timeout / 2))

  return {
    usual,
    /** Whether a call is under way for longer than usual, and nothing has come back since it began. */
    overdue: (now: number): boolean => {
      const time = usual()
      for (const { before, started } of underWay) if (now - started >= time && before === circuit.answers()) return true
      return false
    },
    /** So long a call is waited for that tries out whether the address answers again, ms. */
    trialWait: (): number => trialGrace + (times.soFar() ?? leastUsual),
    begun: (started: number, activity: Activity.Activity | undefined): TimedCall => {
      const call = { started, activity, before: circuit.answers(), came: false }
      underWay.add(call)
      return call
    },
    ended: (call: TimedCall, now: number): void => {
      underWay.delete(call)
      if (!call.came) return
      times.add(now - call.started)
      circuit.answered()
    },
    /** Given up, because the caller has left or another source was faster; calls of nobody's activity say nothing. */
    left: (call: TimedCall, now: number): void => {
      underWay.delete(call)
      if (call.activity !== undefined && now - call.started >= usual()) circuit.overtaken(call.before, now)
    }
  }
}
