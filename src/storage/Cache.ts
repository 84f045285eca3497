import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { gathering } from "./gather.ts"
import { type Dated, dated } from "./Store.ts"
import {
  answering,
  type CacheAnswer,
  type CacheResult,
  type Completed,
  counting,
  type Entry,
  outcomeOf,
  remembered,
  resultOf,
  valueOf
} from "./staleWhileRevalidate.ts"

export type { CacheAnswer as Answer } from "./staleWhileRevalidate.ts"

export interface Cache<A, E> {
  /** Cannot fail: a failing lookup costs only its own keys. Only a defect of the lookup is passed on as it is. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<CacheAnswer<A, E>>
  readonly get: (key: string) => Effect.Effect<Option.Option<A>, E>
  /** Brings into memory what the store has of these keys, fresh or stale; looks nothing up. */
  readonly recall: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  /** What memory has of one key at this time (ms), fresh or stale. */
  readonly current: (key: string, now: number) => A | undefined
  /** Takes what was found without being asked for, as if it had just been looked up; undefined is known not to exist. */
  readonly put: (values: ReadonlyMap<string, A | undefined>) => Effect.Effect<void>
  /** Grows with every value in memory that is replaced by another one, or by none. */
  readonly version: () => number
}

export interface CacheOptions<A, I, E, R> {
  readonly name: string
  /** To be raised with every change of the schema: values of another version are not seen. */
  readonly version: number
  readonly schema: Schema.Schema<A, I>
  /** Younger values are served as they are. Age counts from the end of the lookup. */
  readonly fresh: Duration.DurationInput
  /** For so long after that, values are served while a newer one is looked up behind. */
  readonly stale: Duration.DurationInput
  /** When a value ends at the latest, whenever it was looked up (ms). */
  readonly expires?: (value: A) => number
  /** How long a key without a value is remembered; in memory only. */
  readonly notFound: Duration.DurationInput
  /** How long a failed key is not looked up again; in memory only. */
  readonly failure: Duration.DurationInput
  /** Keys with a value held in memory, and as many without one. */
  readonly capacity: number
  /** How long the keys of different callers are gathered for one lookup; without it, not at all. */
  readonly window?: Duration.DurationInput
  /** Keys in one lookup at most. */
  readonly batch?: number
  /**
   * Leaves out the keys that do not exist; a key in `failed` costs no other. `held` is what is still good of the keys and
   * stays if they fail. Runs in the scope of the cache, not of its callers, so it has to end by itself.
   */
  readonly lookup: (keys: ReadonlyArray<string>, held: ReadonlyMap<string, A>) => Effect.Effect<CacheAnswer<A, E>, E, R>
}

interface InFlight<A, E> {
  readonly landing: Deferred.Deferred<Completed<A, E>>
  /** What is served meanwhile. */
  readonly held: Entry<A, E> | undefined
}

/** Values of many keys, in memory before the store; what the store fails at is a miss. Equal keys in flight are joined. */
export const make = Effect.fnUntraced(function* <A, I, E, R>(options: CacheOptions<A, I, E, R>) {
  const { name, batch = Number.MAX_SAFE_INTEGER } = options
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const store = yield* dated(name, options.version, options.schema)
  const fresh = Duration.toMillis(options.fresh)
  const kept = fresh + Duration.toMillis(options.stale)
  const absent = Duration.toMillis(options.notFound)
  const failure = Duration.toMillis(options.failure)
  const count = counting(name)
  const front = remembered<A, E>(options.capacity)
  const flights = new Map<string, InFlight<A, E>>()

  const entryOf = (outcome: Entry<A, E>["outcome"], at: number): Entry<A, E> => {
    if (Exit.isFailure(outcome)) return { outcome, at, freshUntil: at + failure, until: at + failure }
    if (Option.isNone(outcome.value)) return { outcome, at, freshUntil: at + absent, until: at + absent }
    const end = Math.min(at + kept, options.expires?.(outcome.value.value) ?? Number.POSITIVE_INFINITY)
    return { outcome, at, freshUntil: Math.min(at + fresh, end), until: end }
  }

  const takeOff = (key: string, held?: Entry<A, E>): InFlight<A, E> => {
    const flight = { landing: Deferred.unsafeMake<Completed<A, E>>(FiberId.none), held }
    flights.set(key, flight)
    return flight
  }

  let version = 0
  const keep = (key: string, entry: Entry<A, E>) => {
    if (valueOf(front.get(key)) !== valueOf(entry)) version++
    front.set(key, entry)
  }

  const land = (key: string, entry: Entry<A, E>, result: CacheResult) => {
    keep(key, entry)
    const flight = flights.get(key)
    flights.delete(key)
    if (flight !== undefined) Deferred.unsafeDone(flight.landing, Exit.succeed([entry, result]))
  }

  const ask = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const good = new Map<string, A>()
    const before = yield* Clock.currentTimeMillis
    for (const key of keys) {
      const held = valueOf(flights.get(key)?.held, before)
      if (held !== undefined) good.set(key, held)
    }
    const exit = yield* Effect.exit(Effect.suspend(() => options.lookup(keys, good)))
    const now = yield* Clock.currentTimeMillis
    const values = new Map<string, Dated<A>>()
    const gone: Array<string> = []
    for (const key of keys) {
      const held = flights.get(key)?.held
      const outcome = outcomeOf(exit, key)
      const entry = entryOf(outcome, now)
      const value = valueOf(entry)
      // A failed refresh leaves a value that is still good, and only puts off the next one.
      const stays = Exit.isFailure(outcome) && held !== undefined && now < held.until
      land(key, stays ? { ...held, freshUntil: entry.freshUntil } : entry, "miss")
      if (value !== undefined) values.set(key, { at: now, value })
      else if (Exit.isSuccess(outcome) && held !== undefined) gone.push(key)
    }
    yield* store.setMany(values, kept)
    yield* store.remove(gone)
  })

  const askSoon = gathering(Duration.decode(options.window ?? 0), (keys) =>
    Effect.forEach(Arr.chunksOf(keys, batch), ask, { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(context)
    )
  )

  /** What the store has of these keys and is still good. */
  const fromStore = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const stored = yield* store.getMany(keys)
    const now = yield* Clock.currentTimeMillis
    const entries = new Map<string, Completed<A, E>>()
    for (const [key, { at, value }] of stored) {
      const entry = entryOf(Exit.succeed(Option.some(value)), at)
      const result = resultOf(entry, now)
      // A time to come is left from a clock that was set back: nobody knows how old the value is.
      if (at <= now && result !== "miss") entries.set(key, [entry, result])
    }
    return entries
  })

  /** Lands all these keys. Another process may have refreshed in the store what is stale here. */
  const fly = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const stored = yield* fromStore(keys)
    const wanted: Array<string> = []
    for (const key of keys) {
      const [entry, result] = stored.get(key) ?? []
      const held = flights.get(key)?.held
      if (entry !== undefined && (held === undefined || result === "hit")) land(key, entry, result ?? "hit")
      if (entry !== undefined && result === "stale" && held === undefined) takeOff(key, entry)
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

  const depart = (keys: ReadonlyArray<string>) =>
    Effect.interruptible(fly(keys)).pipe(Effect.onError(abandon), Effect.forkIn(scope))

  const getMany = (keys: ReadonlyArray<string>): Effect.Effect<CacheAnswer<A, E>> =>
    // Uninterruptible until the fiber that lands them has started, or a flight could stay in the map for ever.
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const { serve, answer } = answering<A, E>(count)
        const awaited: Array<readonly [string, InFlight<A, E>]> = []
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
        const departed = missing.length + stale.length === 0 ? Effect.void : depart([...stale, ...missing])
        return departed.pipe(Effect.zipRight(restore(landed)), Effect.zipRight(answer))
      })
    )

  const get = (key: string): Effect.Effect<Option.Option<A>, E> =>
    Effect.flatMap(getMany([key]), ({ found, failed }) => {
      for (const error of failed.values()) return Effect.fail(error)
      return Effect.succeed(Option.fromIterable(found.values()))
    })

  const held = (key: string, now: number) => valueOf(front.get(key), now)

  const recall = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    const freshUntil = (key: string) => front.get(key)?.freshUntil ?? 0
    const old = keys.filter((key) => !flights.has(key) && freshUntil(key) <= now)
    for (const [key, [entry]] of yield* fromStore(old)) if (entry.freshUntil > freshUntil(key)) keep(key, entry)
  })

  const put = Effect.fnUntraced(function* (values: ReadonlyMap<string, A | undefined>) {
    const at = yield* Clock.currentTimeMillis
    const there = new Map<string, Dated<A>>()
    for (const [key, value] of values) {
      const entry = entryOf(Exit.succeed(Option.fromNullable(value)), at)
      const flight = flights.get(key)
      keep(key, entry)
      if (flight !== undefined) flights.set(key, { ...flight, held: entry })
      if (value !== undefined) there.set(key, { at, value })
    }
    yield* store.setMany(there, kept)
    yield* store.remove([...values.keys()].filter((key) => !there.has(key)))
  })

  return { getMany, get, current: held, recall, put, version: () => version } satisfies Cache<A, E>
})
