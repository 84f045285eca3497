import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AvailabilityReport } from "../../contract/StatusApi.ts"
import { lookups } from "../../kernel/collections/lookups.ts"
import { day } from "../../upstream/CallCounts.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { NetworkList } from "./NetworkList.ts"
import * as StoredCounts from "./StoredCounts.ts"

/** How long a process collects counts until it stores them. */
const period = "1 minute"

/** How long a report is reused. */
const maxAge = "10 seconds"

/** The availability of upstreams in the past: counts of their calls by day, from all processes that share the store. */
export class Availability extends Context.Tag("features/status/Availability")<
  Availability,
  {
    readonly report: Effect.Effect<AvailabilityReport>
    /** Stores the counts of this process, at most once a minute. Never ends. */
    readonly keepStored: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Availability,
    Effect.gen(function* () {
      const { networks } = yield* NetworkList
      const { counts, states } = yield* Upstreams
      const { countsOf, save } = yield* StoredCounts.make(counts)
      // Twice, because a save that failed before is repeated first.
      yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(Effect.repeatN(save, 1))))

      const made = Effect.gen(function* () {
        // Builds the networks first, because building registers their upstreams.
        const described = yield* networks
        const names = (yield* states).map(({ name }) => name)
        const today = Math.floor((yield* Clock.currentTimeMillis) / day)
        const dates = Array.from({ length: StoredCounts.maxDays }, (_, index) => today - index).reverse()
        const stored = yield* countsOf(dates)
        const unsaved = counts.current()
        const all = dates.map((date) => ({
          date: new Date(date * day).toISOString().slice(0, 10),
          upstreams: StoredCounts.sum(stored.get(date) ?? new Map(), unsaved.get(date))
        }))
        const first = all.findIndex(({ upstreams }) => upstreams.size > 0)
        const days = all.slice(first)
        const ofSource = (name: string) => {
          const found = days.map(({ date, upstreams }) => {
            const count = upstreams.get(name)
            return count === undefined ? null : { day: date, ...count }
          })
          return found.every((count) => count === null) ? null : found
        }
        return {
          days: days.map(({ date }) => date),
          networks: Object.fromEntries(
            described.map(({ abilities, id }) => [
              id,
              [...new Set(Object.values(abilities).flatMap(({ upstreams }) => upstreams.map(({ name }) => name)))]
            ])
          ),
          sources: Object.fromEntries(names.map((name) => [name, ofSource(name)]))
        }
      })
      const report = yield* lookups({ capacity: 1, timeToLive: () => maxAge, lookup: (_: "all") => made })

      return {
        report: report("all"),
        keepStored: Effect.forever(Effect.zipRight(counts.counted, Effect.delay(save, period)))
      }
    })
  )
}
