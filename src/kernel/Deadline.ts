import * as Effect from "effect/Effect"

/** Steps of a request, with the share of its time at which each must be complete. */
const shares = {
  /** Calls that still wait for the service's own limits end, before their callers stop waiting. */
  start: 0.65,
  /** A network that collects from several sources returns its results so far, before its callers stop waiting. */
  collect: 0.7,
  /** All reads of networks end. */
  read: 0.75,
  /** Callers stop waiting for networks, and prices for their sources. */
  price: 0.8,
  /** All lookups end, and the response is written. */
  write: 0.93
}

export type Step = keyof typeof shares

/** Deadline of a started request. */
export interface Started {
  /** Time at which the step must be complete, ms. */
  readonly until: (step: Step) => number
  /** Time left for the step, ms; at least 0. */
  readonly remaining: (step: Step) => Effect.Effect<number>
}

/** Time limits of a request, in ms from its start. */
export interface Deadline {
  readonly share: (step: Step) => number
  /** Run once per request. */
  readonly start: Effect.Effect<Started>
}

export const make = (time: number): Deadline => {
  const share = (step: Step) => shares[step] * time
  return {
    share,
    start: Effect.clockWith((clock) => {
      const start = clock.unsafeCurrentTimeMillis()
      const until = (step: Step) => start + share(step)
      const remaining = (step: Step) => Effect.sync(() => Math.max(until(step) - clock.unsafeCurrentTimeMillis(), 0))
      return Effect.succeed({ until, remaining })
    })
  }
}
