import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as declare from "../settings/declare.ts"
import type { Fault } from "./UpstreamError.ts"

/** How often a host may be called. */
export interface Rate {
  readonly perSecond: number
  /** Calls that may come at once after a pause. */
  readonly burst: number
  /** Nobody waits longer for a turn, ms: the caller has a deadline, and often something else to try. */
  readonly patience?: number
}

/** What the provider of a source grants, with a key and without one. */
export interface Granted {
  /** The variable `<SOURCE>_PER_SECOND` sets another rate. */
  readonly source: string
  readonly keyless: Rate
  readonly keyed?: Rate
}

/** Waits for its turn; a turn that is too far away is refused at once. */
export type Budget = Effect.Effect<void, Fault>

const usualPatience = 6_000

/** The generic cell rate algorithm: a token bucket without a timer. */
export const make = ({ burst, patience = usualPatience, perSecond }: Rate): Budget => {
  const interval = 1000 / perSecond
  const tolerance = (burst - 1) * interval
  let arrival = 0
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const due = Math.max(arrival, now)
    const wait = due - tolerance - now
    if (wait > patience)
      return Effect.fail<Fault>({ reason: "rate_limited", detail: "too many calls are waiting", retryAfter: wait })
    arrival = due + interval
    return wait > 0 ? Effect.sleep(wait) : Effect.void
  })
}

/** The rate of the provider, or the operator's own. */
export const configured = (rate: Granted | undefined, keyed: boolean) => {
  if (rate === undefined) return Effect.succeed(undefined)
  const granted = keyed ? (rate.keyed ?? rate.keyless) : rate.keyless
  return Effect.map(
    declare.number({
      name: `${rate.source}_PER_SECOND`,
      default: granted.perSecond,
      min: 0.001,
      max: 100_000,
      meaning: `Calls a second to ${rate.source.toLowerCase().replaceAll("_", " ")}, for each of its hosts`
    }),
    (perSecond): Rate => ({
      ...granted,
      perSecond,
      burst: Math.max(1, Math.round((granted.burst * perSecond) / granted.perSecond))
    })
  )
}
