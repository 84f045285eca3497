import * as Effect from "effect/Effect"
import type { Bucket, Level, Taken, Taking } from "./Quota.ts"

/** What a caller wants of a quota. */
export interface Want extends Pick<Taking, "least" | "owing" | "reserve" | "units" | "wait"> {}

interface Waiter extends Want {
  /** With the time until the units may be used, ms; undefined where they are not granted. */
  readonly resume: (wait: number | undefined) => void
}

/** A request to the store; one of the two functions is to be called with its outcome. */
export interface Round {
  readonly taking: Taking
  readonly succeed: (taken: Taken) => void
  readonly fail: () => void
}

/** Leased units that were not used for this time are given back, ms. */
const idle = 1000

/** Units are leased for about this time ahead, ms. */
const leaseTime = 250

/** Over less time no rate of use is measured, ms. */
const leastTime = 50

/**
 * The part of a quota that one process has: units that are leased, and callers that wait for more. Asks no store by itself:
 * `next` is what is to be asked. `changed` gets the level of each bucket whenever the store has reported them; units that
 * are leased here and not used are not in them.
 */
export const make = (
  buckets: (now: number) => ReadonlyArray<Bucket>,
  changed: (levels: ReadonlyArray<Level>) => void
) => {
  const waiting = new Set<Waiter>()
  let leased = 0
  /** Units used without the store; below zero: to be given back. */
  let unreported = 0
  let sinceRound = 0
  let lastRound = 0
  let lastUse = 0

  const expected = (now: number) =>
    Math.floor((sinceRound * leaseTime) / Math.max(leastTime, Math.min(now - lastRound, idle)))

  /** Callers whose units are taken in one step. */
  const joined = (): ReadonlyArray<Waiter> => {
    const all = [...waiting]
    const [first] = all.toSorted((a, b) => a.reserve - b.reserve)
    if (first === undefined || first.owing) return first === undefined ? [] : [first]
    return all.filter(({ owing, reserve }) => !owing && reserve === first.reserve)
  }

  const succeed = (
    callers: ReadonlyArray<Waiter>,
    { taking: { buckets: taken }, levels, granted }: Taken & { readonly taking: Taking }
  ) => {
    /** The time until this unit of those granted is free, ms. */
    const waitOf = (unit: number) =>
      Math.max(
        0,
        ...taken.map(({ capacity, interval }, index) => {
          const excess = (levels[index]?.filled ?? 0) - granted + unit - Math.max(1, capacity)
          return excess <= 1e-6 ? 0 : Math.ceil(excess * interval)
        })
      )
    let next = 1
    for (const caller of callers) {
      // A caller that was interrupted gets nothing.
      if (!waiting.delete(caller)) continue
      const units = caller.owing ? granted : 1
      const wait = caller.owing ? 0 : waitOf(next)
      const served = units > 0 && next + units - 1 <= granted && wait <= caller.wait
      if (served) next += units
      caller.resume(served ? wait : undefined)
    }
    for (; next <= granted; next++) {
      if (waitOf(next) === 0) leased++
      else unreported--
    }
    changed(levels.map((level) => ({ ...level, filled: Math.max(0, level.filled - leased + unreported) })))
  }

  return {
    /** Uses leased units; false where too few are leased. */
    spend: (units: number, now: number): boolean => {
      if (leased < units) return false
      leased -= units
      sinceRound += units
      lastUse = now
      return true
    },
    /** Units that are used without the store: it is reported once it can be. */
    spendUnleased: (units: number): void => {
      unreported += units
    },
    /** Waits until a round has succeeded or failed; the time until the units may be used (ms), undefined where none are granted. */
    granted: (want: Want): Effect.Effect<number | undefined> =>
      Effect.async((resume) => {
        const waiter = { ...want, resume: (wait: number | undefined) => resume(Effect.succeed(wait)) }
        waiting.add(waiter)
        return Effect.sync(() => void waiting.delete(waiter))
      }),
    isWaiting: (): boolean => waiting.size > 0,
    /** Whether the store has to get something back or to be told of something. */
    isUnsettled: (): boolean => leased > 0 || unreported !== 0,
    /** The next request to the store. Without callers it gives back what is idle, or everything where `all` is true. */
    next: (now: number, all = false): Round => {
      const callers = joined()
      const [first] = callers
      const units = callers.reduce((sum, caller) => sum + caller.units, 0)
      const ahead = first === undefined || first.owing ? 0 : expected(now)
      if (first === undefined && (all || Math.abs(now - lastUse) >= idle)) {
        unreported -= leased
        leased = 0
      }
      const used = unreported
      unreported = 0
      sinceRound = units
      lastRound = now
      const taking: Taking = {
        buckets: buckets(now),
        units,
        least: first?.owing === true ? first.least : 1,
        owing: first?.owing === true,
        wait: callers.reduce((longest, { wait }) => Math.max(longest, wait), 0),
        reserve: first?.reserve ?? 0,
        ahead,
        used
      }
      return {
        taking,
        succeed: (taken) => {
          if (units > 0) lastUse = now
          succeed(callers, { ...taken, taking })
        },
        fail: () => {
          unreported += used
          for (const caller of callers) if (waiting.delete(caller)) caller.resume(undefined)
        }
      }
    }
  }
}

export type SharedQuota = ReturnType<typeof make>
