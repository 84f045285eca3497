import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { AvailabilityReport } from "../../contract/StatusApi.ts"
import { lookups } from "../../kernel/collections/lookups.ts"
import { logOnChange } from "../../kernel/logOnChange.ts"
import { type Entries, inStoreTime, Store, type StoreError } from "../../storage/Store.ts"
import { type CallCount, type CallCounts, day } from "../../upstream/CallCounts.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { NetworkList } from "./NetworkList.ts"

/** The days that are stored, with the current one. */
const maxDays = 90

interface StoredDay {
  readonly upstreams: ReadonlyMap<string, CallCount>
  /** Ids of the newest batches that are part of the counts. */
  readonly batches: ReadonlyArray<string>
}

/** Counts that one process adds to the store at once. */
interface CountBatch {
  readonly id: string
  readonly counts: CallCounts
}

const maxBatches = 200
const maxUpstreams = 1_000

const Count = Schema.Struct({ calls: Schema.NonNegativeInt, failed: Schema.NonNegativeInt }).pipe(
  Schema.filter(({ calls, failed }) => failed <= calls)
)
const Day = Schema.Struct({
  batches: Schema.Array(Schema.String.pipe(Schema.maxLength(36))).pipe(Schema.maxItems(maxBatches)),
  upstreams: Schema.Record({ key: Schema.String.pipe(Schema.maxLength(100)), value: Count })
}).pipe(Schema.filter(({ upstreams }) => Object.keys(upstreams).length <= maxUpstreams))

const decode = Schema.decodeUnknownOption(Day)

const storedFor = "91 days"

const sum = (
  counts: ReadonlyMap<string, CallCount>,
  more: ReadonlyMap<string, CallCount> = new Map()
): ReadonlyMap<string, CallCount> => {
  const all = new Map(counts)
  for (const [name, { calls, failed }] of more) {
    const before = all.get(name) ?? { calls: 0, failed: 0 }
    all.set(name, { calls: before.calls + calls, failed: before.failed + failed })
  }
  return all
}

const none: StoredDay = { upstreams: new Map(), batches: [] }

const dayOf = (value: unknown): StoredDay =>
  Option.match(decode(value), {
    onNone: () => none,
    onSome: ({ batches, upstreams }) => ({ batches, upstreams: new Map(Object.entries(upstreams)) })
  })

/** The day with a batch. If a write timed out, the store may have the batch already. */
const withBatch = ({ batches, upstreams }: StoredDay, date: number, { counts, id }: CountBatch): StoredDay =>
  batches.includes(id)
    ? { batches, upstreams }
    : { upstreams: sum(upstreams, counts.get(date)), batches: [...batches, id].slice(-maxBatches) }

/** Days in the store, by the text of their date. */
const daysIn = (entries: Entries) => ({
  read: (dates: ReadonlyArray<number>) =>
    Effect.map(
      entries.getMany(dates.map(String)),
      (found) => new Map(dates.map((date) => [date, dayOf(found.get(String(date)))] as const))
    ),
  write: (days: ReadonlyMap<number, StoredDay>) =>
    entries.setMany(
      new Map(
        Array.from(days).flatMap(([date, { batches, upstreams }]) =>
          upstreams.size === 0 ? [] : [[String(date), { batches, upstreams: Object.fromEntries(upstreams) }] as const]
        )
      ),
      storedFor
    )
})

/**
 * Counts of calls in the store, as the sum of all processes that share it. While the store fails, the counts stay in
 * memory.
 */
const storedCounts = (counts: { readonly take: () => CallCounts }) =>
  Effect.gen(function* () {
    const store = yield* Store
    const { read, write } = daysIn(store.open("availability", 1))
    const owner = yield* Effect.sync(() => crypto.randomUUID())
    const changed = logOnChange()
    /** Days after their last read or write. */
    const known = new Map<number, StoredDay>()
    let batch: CountBatch | undefined
    let saves = 0

    const remember = (days: ReadonlyMap<number, StoredDay>): void => {
      for (const [date, stored] of days) known.set(date, stored)
    }

    /** Runs only if no other process does so now. */
    const alone = <A>(effect: Effect.Effect<A, StoreError>) =>
      Effect.acquireUseRelease(
        Effect.filterOrFail(
          inStoreTime(store.claim("availability", owner, "10 seconds")),
          (isClaimed) => isClaimed,
          () => "busy" as const
        ),
        () => inStoreTime(effect, "2 seconds"),
        () => Effect.ignore(inStoreTime(store.release("availability", owner)))
      )

    const save = Effect.gen(function* () {
      if (batch === undefined) {
        const taken = counts.take()
        if (taken.size === 0) return
        batch = { id: crypto.randomUUID(), counts: taken }
      }
      const adding = batch
      const today = Math.floor((yield* Clock.currentTimeMillis) / day)
      // Writes one older day too, because a full store evicts what was written longest ago.
      const older = today - 1 - (saves++ % (maxDays - 1))
      const dates = [...new Set([...adding.counts.keys(), older])]
      const days = yield* alone(
        Effect.gen(function* () {
          const days = yield* read(dates)
          for (const date of adding.counts.keys()) days.set(date, withBatch(days.get(date) ?? none, date, adding))
          yield* write(days)
          return days
        })
      )
      remember(days)
      batch = undefined
    }).pipe(
      Effect.retry({ while: (error) => error === "busy", times: 5, schedule: Schedule.spaced("200 millis") }),
      Effect.zipRight(changed(false, Effect.logInfo("availability: counts are stored again"))),
      Effect.catchAll((cause) =>
        cause === "busy"
          ? Effect.void
          : changed(true, Effect.logWarning("availability: counts stay in memory, as the store fails", cause))
      )
    )

    /** The counts of these days, with those that are not stored yet. Only the newest days are read each time. */
    const countsOf = Effect.fnUntraced(function* (dates: ReadonlyArray<number>) {
      const newest = dates.slice(-2)
      const wanted = dates.filter((date) => !known.has(date) || newest.includes(date))
      yield* Effect.ignore(Effect.map(inStoreTime(read(wanted)), remember))
      for (const date of known.keys()) if (!dates.includes(date)) known.delete(date)
      return new Map(
        dates.map((date) => {
          const stored = known.get(date) ?? none
          return [date, (batch === undefined ? stored : withBatch(stored, date, batch)).upstreams] as const
        })
      )
    })

    return { save, countsOf }
  })

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
      const { countsOf, save } = yield* storedCounts(counts)
      // Twice, because a save that failed before is repeated first.
      yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(Effect.repeatN(save, 1))))

      const made = Effect.gen(function* () {
        // Builds the networks first, because building registers their upstreams.
        const described = yield* networks
        const names = (yield* states).map(({ name }) => name)
        const today = Math.floor((yield* Clock.currentTimeMillis) / day)
        const dates = Array.from({ length: maxDays }, (_, index) => today - index).reverse()
        const stored = yield* countsOf(dates)
        const unsaved = counts.current()
        const all = dates.map((date) => ({
          date: new Date(date * day).toISOString().slice(0, 10),
          upstreams: sum(stored.get(date) ?? new Map(), unsaved.get(date))
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
