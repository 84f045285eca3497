import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Tracks whether the calls to one source for one purpose make progress, or the source is silent. */
export interface Activity {
  /** Time at which a call last started or ended, ms. */
  at: number
  /** Number of calls that wait for the service's own limits, which is not silence of the source. */
  waiting: number
  /** True if a call ended other than by a timeout. */
  answered: boolean
  /** The activity that includes this one. */
  readonly parent: Activity | undefined
}

export const begun = (now: number, parent: Activity | undefined): Activity => ({
  at: now,
  waiting: 0,
  answered: false,
  parent
})

/** Records that a call started, or ended by a timeout or otherwise. */
export const note = (activity: Activity | undefined, now: number, isAnswered = false): void => {
  for (let current = activity; current !== undefined; current = current.parent) {
    current.at = now
    current.answered ||= isAnswered
  }
}

const wait = (activity: Activity | undefined, more: 1 | -1, now: number): void => {
  for (let current = activity; current !== undefined; current = current.parent) current.waiting += more
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
