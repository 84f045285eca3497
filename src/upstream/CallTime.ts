import type * as Clock from "effect/Clock"
import { timer } from "../kernel/timeout.ts"

/** The time that an upstream takes for a call: from its sending, without waits for limits of the service. */
export interface CallTime {
  /** When it was made, before all waits, ms. */
  readonly made: number
  /** The time so far, ms. */
  readonly elapsed: (now: number) => number
  /** False before the call is sent, and while it waits. */
  readonly isRunning: () => boolean
  /** The call is sent, or a wait is over. */
  readonly run: () => void
  /** The call waits now. */
  readonly pause: () => void
  /** Calls back once when the call has taken this much longer, ms, unless the returned function is called first. */
  readonly limit: (milliseconds: number, onTimeout: () => void) => () => void
}

/** A call that is not sent yet. */
export const make = (clock: Clock.Clock): CallTime => {
  const now = () => clock.unsafeCurrentTimeMillis()
  const limits = new Set<{ readonly start: () => void; readonly stop: () => void }>()
  const made = now()
  let earlier = 0
  /** Undefined while it waits. */
  let since: number | undefined

  return {
    made,
    // A clock that was set back must not make a time negative.
    elapsed: (now) => earlier + (since === undefined ? 0 : Math.max(0, now - since)),
    isRunning: () => since !== undefined,
    run: () => {
      if (since !== undefined) return
      since = now()
      for (const { start } of limits) start()
    },
    pause: () => {
      if (since === undefined) return
      for (const { stop } of limits) stop()
      earlier += Math.max(0, now() - since)
      since = undefined
    },
    limit: (milliseconds, onTimeout) => {
      let left = milliseconds
      let started = 0
      let cancel = () => {}
      const limit = {
        start: () => {
          started = now()
          cancel = timer(clock, left, () => {
            limits.delete(limit)
            onTimeout()
          })
        },
        stop: () => {
          cancel()
          left = Math.min(left, Math.max(0, left - (now() - started)))
        }
      }
      limits.add(limit)
      if (since !== undefined) limit.start()
      return () => {
        limits.delete(limit)
        cancel()
      }
    }
  }
}
