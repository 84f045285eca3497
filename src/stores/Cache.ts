import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { gathering } from "./gathering.ts"
import { lru } from "./Memory.ts"
import { type Dated, dated } from "./Store.ts"

/** What many keys gave: one that is in neither map is known not to exist. */
export interface Answer<A, E> {
  readonly found: ReadonlyMap<string, A>
  readonly failed: ReadonlyMap<string, E>
}

export interface Cache<A, E> {
  /** Cannot fail: a failing lookup costs only its own keys. Only a defect of the lookup is passed on as it is. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<Answer<A, E>>
  readonly get: (key: string) => Effect.Effect<Option.Option<A>, E>
}

export interface Options<A, I, E, R> {
  readonly name: string
  /** To be raised with every change of the schema: values of another version are not seen. */
  readonly version: number
  readonly schema: Schema.Schema<A, I>
  /** Younger values are served as they are. Age counts from the end of the lookup. */
  readonly fresh: Duration.DurationInput
  /** For so long after that, values are served while a newer one is looked up behind. */
  readonly stale: Duration.DurationInput
  /** How long a key without a value is remembered; in memory only. */
  readonly absent: Duration.DurationInput
  /** How long a failed key is not looked up again; in memory only. */
  readonly failure: Duration.DurationInput
  /** Keys held in memory. */
  readonly capacity: number
  /** How long the keys of different callers are gathered for one lookup; without it, not at all. */
  readonly window?: Duration.DurationInput
  /** Keys in one lookup at most. */
  readonly batch?: number
  /**
   * Leaves out the keys that do not exist. Runs in the scope of the cache and is not stopped when its callers leave, so
   * it has to end by itself.
   */
  readonly lookup: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>, E, R>
}

/** How a key was answered, by memory or the store alike; a remembered failure counts as absent. */
type Result = "hit" | "stale" | "miss" | "absent"
type Counts = { [result in Result]: number }

interface Entry<A, E> {
  readonly outcome: Exit.Exit<Option.Option<A>, E>
  readonly freshUntil: number
  readonly until: number
}

type Landed<A, E> = readonly [Entry<A, E>, Result]

interface Flight<A, E> {
  readonly landing: Deferred.Deferred<Landed<A, E>>
  /** What is served meanwhile. */
  readonly held: Entry<A, E> | undefined
}

const resultOf = (entry: Entry<unknown, unknown>, now: number): Result => {
  if (now >= entry.until) return "miss"
  if (now >= entry.freshUntil) return "stale"
  return Exit.isSuccess(entry.outcome) && Option.isSome(entry.outcome.value) ? "hit" : "absent"
}

const requests = Metric.counter("cache_requests_total", {
  description: "Keys asked of a cache, by how they were answered",
  incremental: true
})

/** What one caller is given. A defect of a lookup is passed on to all who asked for its keys. */
const answering = <A, E>(count: (counts: Counts) => void) => {
  const counts: Counts = { hit: 0, stale: 0, miss: 0, absent: 0 }
  const found = new Map<string, A>()
  const failed = new Map<string, E>()
  let defect: Cause.Cause<never> | undefined
  return {
    serve: (key: string, { outcome }: Entry<A, E>, result: Result) => {
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

/** Values of many keys, in memory before the store; what the store fails at is a miss. Equal keys in flight are joined. */
export const make = Effect.fnUntraced(function* <A, I, E, R>(options: Options<A, I, E, R>) {
  const { name, batch = Number.MAX_SAFE_INTEGER } = options
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const store = yield* dated(name, options.version, options.schema)
  const fresh = Duration.toMillis(options.fresh)
  const kept = fresh + Duration.toMillis(options.stale)
  const absent = Duration.toMillis(options.absent)
  const failure = Duration.toMillis(options.failure)

  const named = Metric.tagged(requests, "cache", name)
  const counters = (["hit", "stale", "miss", "absent"] as const).map(
    (result) => [result, Metric.tagged(named, "result", result)] as const
  )
  const count = (counts: Counts) => {
    for (const [result, counter] of counters) if (counts[result] > 0) counter.unsafeUpdate(counts[result], [])
  }

  const front = lru<Entry<A, E>>(options.capacity)
  const flights = new Map<string, Flight<A, E>>()

  const entryOf = (outcome: Entry<A, E>["outcome"], at: number): Entry<A, E> => {
    if (Exit.isFailure(outcome)) return { outcome, freshUntil: at + failure, until: at + failure }
    if (Option.isNone(outcome.value)) return { outcome, freshUntil: at + absent, until: at + absent }
    return { outcome, freshUntil: at + fresh, until: at + kept }
  }

  const takeOff = (key: string, held?: Entry<A, E>): Flight<A, E> => {
    const flight = { landing: Deferred.unsafeMake<Landed<A, E>>(FiberId.none), held }
    flights.set(key, flight)
    return flight
  }

  const land = (key: string, entry: Entry<A, E>, result: Result) => {
    front.set(key, entry)
    const flight = flights.get(key)
    flights.delete(key)
    if (flight !== undefined) Deferred.unsafeDone(flight.landing, Exit.succeed([entry, result]))
  }

  const ask = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const exit = yield* Effect.exit(Effect.suspend(() => options.lookup(keys)))
    const now = yield* Clock.currentTimeMillis
    const values = new Map<string, Dated<A>>()
    const gone: Array<string> = []
    for (const key of keys) {
      const held = flights.get(key)?.held
      const value = Exit.isSuccess(exit) ? exit.value.get(key) : undefined
      const entry = entryOf(Exit.as(exit, value === undefined ? Option.none() : Option.some(value)), now)
      // A failed refresh leaves a value that is still good, and only puts off the next one.
      const good = Exit.isFailure(exit) && held !== undefined && now < held.until
      land(key, good ? { ...held, freshUntil: entry.freshUntil } : entry, "miss")
      if (value !== undefined) values.set(key, { at: now, value })
      else if (Exit.isSuccess(exit) && held !== undefined) gone.push(key)
    }
    yield* store.setMany(values, kept)
    yield* store.remove(gone)
  })

  const askSoon = gathering(Duration.decode(options.window ?? 0), (keys) =>
    Effect.forEach(Arr.chunksOf(keys, batch), ask, { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(context)
    )
  )

  /** Lands all these keys. Those that are held need not be sought in the store. */
  const fly = Effect.fnUntraced(function* (missing: ReadonlyArray<string>, held: ReadonlyArray<string>) {
    const stored = yield* store.getMany(missing)
    const now = yield* Clock.currentTimeMillis
    const wanted = [...held]
    for (const key of missing) {
      const found = stored.get(key)
      // A time to come is left from a clock that was set back: nobody knows how old the value is.
      const entry = found && found.at <= now ? entryOf(Exit.succeed(Option.some(found.value)), found.at) : undefined
      const result = entry === undefined ? "miss" : resultOf(entry, now)
      if (entry !== undefined && result !== "miss") land(key, entry, result)
      if (result === "stale") takeOff(key, entry)
      if (result !== "hit") wanted.push(key)
    }
    if (wanted.length > 0) yield* askSoon(wanted)
  })

  /** Only the end of the cache's scope gets here, and then nobody is left to land a flight. */
  const abandon = (cause: Cause.Cause<never>) =>
    Effect.sync(() => {
      for (const { landing } of flights.values()) Deferred.unsafeDone(landing, Exit.failCause(cause))
      flights.clear()
    })

  const depart = (missing: ReadonlyArray<string>, held: ReadonlyArray<string>) =>
    Effect.interruptible(fly(missing, held)).pipe(Effect.onError(abandon), Effect.forkIn(scope))

  const getMany = (keys: ReadonlyArray<string>): Effect.Effect<Answer<A, E>> =>
    // Uninterruptible until the fiber that lands them has started, or a flight could stay in the map for ever.
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const { serve, answer } = answering<A, E>(count)
        const awaited: Array<readonly [string, Flight<A, E>]> = []
        const missing: Array<string> = []
        const stale: Array<string> = []
        for (const key of new Set(keys)) {
          const entry = front.get(key)
          const result = entry === undefined ? "miss" : resultOf(entry, now)
          const flight = flights.get(key)
          if (entry !== undefined && result !== "miss") {
            serve(key, entry, result)
            if (result !== "stale" || flight !== undefined) continue
            takeOff(key, entry)
            stale.push(key)
          } else {
            awaited.push([key, flight ?? takeOff(key)])
            if (flight === undefined) missing.push(key)
          }
        }
        if (awaited.length + stale.length === 0) return answer
        const landed = Effect.forEach(
          awaited,
          ([key, { landing }]) => Effect.map(Deferred.await(landing), (landed) => serve(key, ...landed)),
          { discard: true }
        )
        const departed = missing.length + stale.length === 0 ? Effect.void : depart(missing, stale)
        return departed.pipe(Effect.zipRight(restore(landed)), Effect.zipRight(answer))
      })
    )

  const get = (key: string): Effect.Effect<Option.Option<A>, E> =>
    Effect.flatMap(getMany([key]), ({ found, failed }) => {
      for (const error of failed.values()) return Effect.fail(error)
      return Effect.succeed(Option.fromIterable(found.values()))
    })

  return { getMany, get } satisfies Cache<A, E>
})
