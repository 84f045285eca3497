import type { Bucket, Level, Taken, Taking } from "./Quota.ts"
import * as WaitingCallers from "./WaitingCallers.ts"

/** A request to the store; one of the two functions is to be called with its outcome. */
export interface Round {
  readonly taking: Taking
  readonly succeed: (taken: Taken) => void
  /** Where it is not known whether the store has counted what was used, it is never reported again. */
  readonly fail: (isCounted: "unknown" | "no") => void
}

/** Leased units that were not used for this time are given back, ms. */
const idle = 1000

/** Units are leased for about this time ahead, ms. */
const leaseTime = 250

/** Over less time no rate of use is measured, ms. */
const leastTime = 50

/** What callers whose units are taken in one step want together. */
const wantedBy = (callers: ReadonlyArray<WaitingCallers.Want>): WaitingCallers.Want => {
  const [first] = callers
  const owing = first?.owing === true
  return {
    units: callers.reduce((sum, { units }) => sum + units, 0),
    least: owing ? first.least : 1,
    owing,
    wait: callers.reduce((longest, { wait }) => Math.max(longest, wait), 0),
    reserve: first?.reserve ?? 0
  }
}

/**
 * The part of a quota that one process has: units that are leased, and callers that wait for more. Asks no store by itself:
 * `next` is what is to be asked. `changed` gets the level of each bucket whenever the store has reported them; units that
 * are leased here and not used are not in them.
 */
export const make = (
  buckets: (now: number) => ReadonlyArray<Bucket>,
  changed: (levels: ReadonlyArray<Level>) => void
) => {
  const waiting = WaitingCallers.make()
  let leased = 0
  /** Units used without the store; below zero: to be given back. */
  let unreported = 0
  let sinceRound = 0
  let lastRound = 0
  let lastUse = 0

  const expected = (now: number) =>
    Math.floor((sinceRound * leaseTime) / Math.max(leastTime, Math.min(now - lastRound, idle)))

  const succeed = (callers: ReadonlyArray<WaitingCallers.Waiter>, taking: Taking, taken: Taken) => {
    const { granted, levels } = taken
    const waitOf = WaitingCallers.waitsOf(taking, taken)
    for (let unit = waiting.serve(callers, granted, waitOf) + 1; unit <= granted; unit++) {
      if (waitOf(unit) === 0) leased++
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
    granted: waiting.wait,
    isWaiting: (): boolean => !waiting.isEmpty(),
    /** Whether the store has to get something back or to be told of something. */
    isUnsettled: (): boolean => leased > 0 || unreported !== 0,
    /** The next request to the store. Without callers it gives back what is idle, or everything where `all` is true. */
    next: (now: number, all = false): Round => {
      const callers = waiting.joined()
      const wanted = wantedBy(callers)
      const ahead = callers.length === 0 || wanted.owing ? 0 : expected(now)
      if (callers.length === 0 && (all || Math.abs(now - lastUse) >= idle)) {
        unreported -= leased
        leased = 0
      }
      const used = unreported
      unreported = 0
      sinceRound = wanted.units
      lastRound = now
      const taking = { ...wanted, buckets: buckets(now), ahead, used }
      return {
        taking,
        succeed: (taken) => {
          if (wanted.units > 0) lastUse = now
          succeed(callers, taking, taken)
        },
        fail: (isCounted) => {
          if (isCounted === "no") unreported += used
          waiting.refuse(callers)
        }
      }
    }
  }
}

export type SharedQuota = ReturnType<typeof make>
