import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BoundedMap from "../kernel/BoundedMap.ts"

/** What many keys gave: one that is in neither map is known not to exist. */
export interface CacheAnswer<A, E> {
  readonly found: ReadonlyMap<string, A>
  readonly failed: ReadonlyMap<string, E>
}

/** How a key was answered, by memory or the store alike; a remembered failure counts as absent. */
export type CacheResult = "hit" | "stale" | "miss" | "absent"
type Counts = { [result in CacheResult]: number }

export interface Entry<A, E> {
  readonly outcome: Exit.Exit<Option.Option<A>, E>
  readonly at: number
  readonly freshUntil: number
  readonly until: number
}

export type Completed<A, E> = readonly [Entry<A, E>, CacheResult]

/** Clocks that are put right move a little; by more than this, ms, one was set back, and how old anything is nobody knows. */
const settingBack = 60_000

const isOver = ({ at, until }: Entry<unknown, unknown>, now: number) => now >= until || at - now > settingBack

export const resultOf = (entry: Entry<unknown, unknown>, now: number): CacheResult => {
  if (isOver(entry, now)) return "miss"
  if (now >= entry.freshUntil) return "stale"
  return Exit.isSuccess(entry.outcome) && Option.isSome(entry.outcome.value) ? "hit" : "absent"
}

/** What a lookup of many keys says of one. */
export const outcomeOf = <A, E>(exit: Exit.Exit<CacheAnswer<A, E>, E>, key: string): Entry<A, E>["outcome"] => {
  if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
  const { failed, found } = exit.value
  const failure = failed.get(key)
  return failure === undefined || found.has(key)
    ? Exit.succeed(Option.fromNullable(found.get(key)))
    : Exit.fail(failure)
}

/** The value of an entry, if it has one; at a time, if it is still good then. */
export const valueOf = <A, E>(entry: Entry<A, E> | undefined, now?: number): A | undefined =>
  entry === undefined || (now !== undefined && isOver(entry, now)) || Exit.isFailure(entry.outcome)
    ? undefined
    : Option.getOrUndefined(entry.outcome.value)

/** So many entries with a value, and as many without one: keys that anybody can invent must not push out the values. */
export const remembered = <A, E>(capacity: number) => {
  const values = BoundedMap.sized<Entry<A, E>>(capacity)
  const misses = BoundedMap.sized<Entry<A, E>>(capacity)
  return {
    get: (key: string) => values.get(key) ?? misses.get(key),
    set: (key: string, entry: Entry<A, E>) => {
      const [into, other] = valueOf(entry) === undefined ? [misses, values] : [values, misses]
      other.delete(key)
      into.set(key, entry)
    }
  }
}

const requests = Metric.counter("cache_requests_total", {
  description: "Cache lookups by outcome",
  incremental: true
})

/** What one caller is given. A defect of a lookup is passed on to all who asked for its keys. */
export const answering = <A, E>(count: (counts: Counts) => void) => {
  const counts: Counts = { hit: 0, stale: 0, miss: 0, absent: 0 }
  const found = new Map<string, A>()
  const failed = new Map<string, E>()
  let defect: Cause.Cause<never> | undefined
  return {
    serve: (key: string, { outcome }: Entry<A, E>, result: CacheResult) => {
      counts[result]++
      if (Exit.isSuccess(outcome)) {
        if (Option.isSome(outcome.value)) found.set(key, outcome.value.value)
        return
      }
      const cause = Cause.failureOrCause(outcome.cause)
      if (Either.isLeft(cause)) failed.set(key, cause.left)
      else defect = cause.right
    },
    answer: Effect.suspend(() => {
      count(counts)
      return defect === undefined ? Effect.succeed({ found, failed }) : Effect.failCause(defect)
    })
  }
}

/** Counts the keys asked of the cache of this name. */
export const counting = (name: string) => {
  const named = Metric.tagged(requests, "cache", name)
  const counters = (["hit", "stale", "miss", "absent"] as const).map(
    (result) => [result, Metric.tagged(named, "result", result)] as const
  )
  return (counts: Counts) => {
    for (const [result, counter] of counters) if (counts[result] > 0) counter.unsafeUpdate(counts[result], [])
  }
}
