import * as Effect from "effect/Effect"
import type { Taken, Taking } from "./Quota.ts"

/** What a caller wants of a quota. */
export interface Want extends Pick<Taking, "least" | "owing" | "reserve" | "units" | "wait"> {}

/** A caller that waits for units. */
export interface Waiter extends Want {
  /** With the time until the units may be used, ms; undefined where they are not granted. */
  readonly resume: (wait: number | undefined) => void
}

/** The time until each unit of those granted is free, ms; the first one is number 1. */
export const waitsOf =
  ({ buckets }: Taking, { granted, levels }: Taken) =>
  (unit: number): number =>
    Math.max(
      0,
      ...buckets.map(({ capacity, interval }, index) => {
        const excess = (levels[index]?.filled ?? 0) - granted + unit - Math.max(1, capacity)
        return excess <= 1e-6 ? 0 : Math.ceil(excess * interval)
      })
    )

/** The callers that wait for units of a quota. */
export const make = () => {
  const waiting = new Set<Waiter>()

  return {
    isEmpty: (): boolean => waiting.size === 0,
    /** Waits until the caller is served or refused; the time until its units may be used (ms), undefined where refused. */
    wait: (want: Want): Effect.Effect<number | undefined> =>
      Effect.async((resume) => {
        const waiter = { ...want, resume: (wait: number | undefined) => resume(Effect.succeed(wait)) }
        waiting.add(waiter)
        return Effect.sync(() => void waiting.delete(waiter))
      }),
    /** Those whose units are taken in one step. */
    joined: (): ReadonlyArray<Waiter> => {
      const all = [...waiting]
      const [first] = all.toSorted((a, b) => a.reserve - b.reserve)
      if (first === undefined || first.owing) return first === undefined ? [] : [first]
      return all.filter(({ owing, reserve }) => !owing && reserve === first.reserve)
    },
    /** Serves callers in their order from units of which each has to wait; returns how many units they have got. */
    serve: (callers: ReadonlyArray<Waiter>, granted: number, waitOf: (unit: number) => number): number => {
      let used = 0
      for (const caller of callers) {
        // A caller that was interrupted gets nothing.
        if (!waiting.delete(caller)) continue
        const units = caller.owing ? granted : 1
        const wait = caller.owing ? 0 : waitOf(used + 1)
        const served = units > 0 && used + units <= granted && wait <= caller.wait
        if (served) used += units
        caller.resume(served ? wait : undefined)
      }
      return used
    },
    refuse: (callers: ReadonlyArray<Waiter>): void => {
      for (const caller of callers) if (waiting.delete(caller)) caller.resume(undefined)
    }
  }
}
