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

interface Limit {
  /** The time of the call at which it is over, ms. */
  readonly at: number
  readonly onTimeout: () => void
  cancel: () => void
}

const nothing = () => {}

/** A call that is not sent yet. `onSent` is called when it is sent, and after each wait. */
export const make = (clock: Clock.Clock, onSent = nothing): CallTime => {
  const now = () => clock.unsafeCurrentTimeMillis()
  const limits: Array<Limit> = []
  const made = now()
  let earlier = 0
  /** Undefined while it waits. */
  let since: number | undefined

  // A clock that was set back must not make a time negative.
  const elapsed = (now: number): number => earlier + (since === undefined ? 0 : Math.max(0, now - since))

  const end = (limit: Limit): void => {
    const index = limits.indexOf(limit)
    if (index !== -1) limits.splice(index, 1)
    limit.cancel()
  }

  const start = (limit: Limit, left: number): void => {
    limit.cancel = timer(clock, Math.max(0, left), () => {
      end(limit)
      limit.onTimeout()
    })
  }

  return {
    made,
    elapsed,
    isRunning: () => since !== undefined,
    run: () => {
      if (since !== undefined) return
      since = now()
      onSent()
      for (const limit of limits) start(limit, limit.at - earlier)
    },
    pause: () => {
      if (since === undefined) return
      for (const { cancel } of limits) cancel()
      earlier = elapsed(now())
      since = undefined
    },
    limit: (milliseconds, onTimeout) => {
      const limit: Limit = { at: elapsed(now()) + milliseconds, onTimeout, cancel: nothing }
      limits.push(limit)
      if (since !== undefined) start(limit, milliseconds)
      return () => end(limit)
    }
  }
}
