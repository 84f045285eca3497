import * as Effect from "effect/Effect"

/** The steps of a request, by the share of its time after which each has to be over. */
const shares = {
  /** A network that collects from several sources returns what it has, before those that wait for it give up. */
  collect: 0.7,
  /** Reading a network has ended. */
  read: 0.75,
  /** Nothing waits for networks any longer, nor prices for their sources. */
  price: 0.8,
  /** All look-ups have ended, and the response is written. */
  write: 0.93
}

export type Step = keyof typeof shares

/** The deadline of a request that has begun. */
export interface Running {
  /** When the step has to be over, ms. */
  readonly until: (step: Step) => number
  /** How long it still has, ms; not below 0. */
  readonly remaining: (step: Step) => Effect.Effect<number>
}

/** The time that requests have, ms. */
export interface Deadline {
  readonly share: (step: Step) => number
  /** To be run once for a request. */
  readonly start: Effect.Effect<Running>
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
