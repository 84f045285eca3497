import * as Context from "effect/Context"

/** What the calls do that are made to one source for one purpose: whether they come to an end, or it is silent. */
export interface Activity {
  /** When a call began or ended last, ms. */
  at: number
  /** How many calls wait because of our own limits: that is no silence of the source. */
  waiting: number
  /** What these calls are a part of. */
  readonly whole: Activity | undefined
}

export const begun = (now: number, whole: Activity | undefined): Activity => ({ at: now, waiting: 0, whole })

/** Something began or ended. */
export const note = (activity: Activity | undefined, now: number): void => {
  for (let item = activity; item !== undefined; item = item.whole) item.at = now
}

/** This many more calls wait, or fewer where it is negative. */
export const wait = (activity: Activity | undefined, more: 1 | -1, now: number): void => {
  for (let item = activity; item !== undefined; item = item.whole) item.waiting += more
  note(activity, now)
}

/** The activity that current calls belong to. */
export class CurrentActivity extends Context.Reference<CurrentActivity>()("upstream/CurrentActivity", {
  defaultValue: (): Activity | undefined => undefined
}) {}
