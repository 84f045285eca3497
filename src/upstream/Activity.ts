import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The calls to one source for one purpose: whether they make progress, or the source is silent. */
export interface Activity {
  /** When a call began or ended last, ms. */
  at: number
  /** How many calls wait for the service's own limits: that is no silence of the source. */
  waiting: number
  /** Whether a call ended otherwise than by a timeout. */
  answered: boolean
  /** The activity of which this is a part. */
  readonly whole: Activity | undefined
}

export const begun = (now: number, whole: Activity | undefined): Activity => ({
  at: now,
  waiting: 0,
  answered: false,
  whole
})

/** A call began or ended. */
export const note = (activity: Activity | undefined, now: number): void => {
  for (let current = activity; current !== undefined; current = current.whole) current.at = now
}

/** A call ended otherwise than by a timeout. */
export const answered = (activity: Activity | undefined): void => {
  for (let current = activity; current !== undefined; current = current.whole) current.answered = true
}

/** One more call waits, or one fewer. */
const wait = (activity: Activity | undefined, more: 1 | -1, now: number): void => {
  for (let current = activity; current !== undefined; current = current.whole) current.waiting += more
  note(activity, now)
}

/** Waits for one of the service's own limits, which is not counted as silence of the source. */
export const waiting = <A, E>(activity: Activity | undefined, clock: Clock.Clock, permit: Effect.Effect<A, E>) =>
  activity === undefined
    ? permit
    : Effect.acquireUseRelease(
        Effect.sync(() => wait(activity, 1, clock.unsafeCurrentTimeMillis())),
        () => permit,
        () => Effect.sync(() => wait(activity, -1, clock.unsafeCurrentTimeMillis()))
      )

/** The activity to which current calls belong. */
export class CurrentActivity extends Context.Reference<CurrentActivity>()("upstream/CurrentActivity", {
  defaultValue: (): Activity | undefined => undefined
}) {}
