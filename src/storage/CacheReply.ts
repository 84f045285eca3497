import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { CacheResult, Entry } from "./staleWhileRevalidate.ts"

type Counts = { [result in CacheResult]: number }

const requests = Metric.counter("cache_requests_total", {
  description: "Cache lookups by outcome",
  incremental: true
})

/** Counts the keys that were requested of the cache of this name. */
export const counting = (name: string) => {
  const named = Metric.tagged(requests, "cache", name)
  const counters = (["hit", "stale", "miss", "absent"] as const).map(
    (result) => [result, Metric.tagged(named, "result", result)] as const
  )
  return (counts: Counts) => {
    for (const [result, counter] of counters) if (counts[result] > 0) counter.unsafeUpdate(counts[result], [])
  }
}

/** The result for one caller. A defect of a lookup is passed on to all callers that wait for its keys. */
export const make = <A, E>(count: (counts: Counts) => void) => {
  const counts: Counts = { hit: 0, stale: 0, miss: 0, absent: 0 }
  const found = new Map<string, A>()
  const failed = new Map<string, E>()
  let defect: Cause.Cause<never> | undefined
  return {
    add: (key: string, { outcome }: Entry<A, E>, result: CacheResult) => {
      counts[result]++
      if (Exit.isSuccess(outcome)) {
        if (Option.isSome(outcome.value)) found.set(key, outcome.value.value)
        return
      }
      const cause = Cause.failureOrCause(outcome.cause)
      if (Either.isLeft(cause)) failed.set(key, cause.left)
      else defect = cause.right
    },
    send: Effect.suspend(() => {
      count(counts)
      return defect === undefined ? Effect.succeed({ found, failed }) : Effect.failCause(defect)
    })
  }
}
