import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Limits } from "./Budget.ts"
import * as MonthCount from "./MonthCount.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** The buckets of a budget, and the count of its permits. */
export interface Buckets {
  readonly second: TokenBucket.TokenBucket
  readonly month: TokenBucket.TokenBucket | undefined
  /** Both. */
  readonly all: ReadonlyArray<TokenBucket.TokenBucket>
  readonly count: ReturnType<typeof MonthCount.make>
}

/** A permit that is wanted, by a caller that waits for it no longer than so many ms. */
export interface WantedPermit {
  readonly reserve: number
  readonly maxWait: number
}

/** Where the permits of a budget come from. */
export interface PermitSource {
  /** What is known of them at this time (ms). */
  readonly buckets: (now: number) => Buckets
  /**
   * Takes a permit that should be there by these buckets. The time until it may be used (ms), or undefined where it was not
   * granted: the buckets then show why. Cannot fail.
   */
  readonly take: (wanted: WantedPermit) => Effect.Effect<number | undefined>
}

/** Why a call is refused that would have to wait too long for its turn. */
export const queued = "too many calls are queued"

export const bucketsOf = ({ burst, perMonth = 0, perSecond }: Limits): Buckets => {
  const second = TokenBucket.make(burst, 1000 / perSecond, queued)
  const month = perMonth > 0 ? TokenBucket.ofMonth(perMonth) : undefined
  return { second, month, all: month === undefined ? [second] : [second, month], count: MonthCount.make() }
}

/** The longest wait for any of the buckets, ms, and its reason. */
export const longest = (buckets: ReadonlyArray<TokenBucket.TokenBucket>, now: number, reserve: number) => {
  let found = { wait: 0, detail: "" }
  for (const { detail, wait } of buckets) {
    const value = wait(now, reserve)
    if (value > found.wait) found = { wait: value, detail }
  }
  return found
}

/** Takes a permit of these buckets; the time until it may be used, ms. */
export const takeOf = ({ all, count }: Buckets, now: number, reserve: number): number => {
  const { wait } = longest(all, now, reserve)
  for (const { add } of all) add(now, 1)
  count.add(now)
  return wait
}

/** Permits of this process alone. `taken` runs after each. */
export const own = (limits: Limits, taken: Effect.Effect<void> = Effect.void): PermitSource => {
  const buckets = bucketsOf(limits)
  return {
    buckets: () => buckets,
    take: ({ reserve }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const wait = takeOf(buckets, now, reserve)
        return Effect.as(taken, wait)
      })
  }
}
