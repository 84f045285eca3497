import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { counters } from "../kernel/counters.ts"
import * as SingleFlight from "../kernel/SingleFlight.ts"
import * as Refreshes from "./Refreshes.ts"
import { type Dated, dated } from "./Store.ts"
import {
  type CacheLookup,
  type CacheResult,
  type Entry,
  type Lifetimes,
  outcomeOf,
  policy,
  postponed,
  resultOf,
  valueOf
} from "./staleWhileRevalidate.ts"

export type { CacheLookup as Answer } from "./staleWhileRevalidate.ts"

export interface Cache<A, E> {
  /** Cannot fail: keys whose lookup failed are in `failed`. Only a defect of the lookup is passed on. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<CacheLookup<A, E>>
  readonly get: (key: string) => Effect.Effect<Option.Option<A>, E>
  /** Loads the stored values of these keys into memory, fresh or stale, without a lookup. */
  readonly recall: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  /** The value of a key in memory at this time (ms), fresh or stale. */
  readonly current: (key: string, now: number) => A | undefined
  /** Stores values as if they had just been looked up; undefined means that the key does not exist. */
  readonly put: (values: ReadonlyMap<string, A | undefined>) => Effect.Effect<void>
  /** Increases when a value in memory is replaced or removed. */
  readonly version: () => number
}

export interface CacheOptions<A, I, E, R> extends Lifetimes<A> {
  readonly name: string
  /** Increase it with every change of the schema: values of other versions are ignored. */
  readonly version: number
  readonly schema: Schema.Schema<A, I>
  /** Maximum number of keys with a value in memory; the same limit applies to keys without a value. */
  readonly capacity: number
  /** How long to collect the keys of different callers for one lookup. By default they are not collected. */
  readonly window?: Duration.DurationInput
  /** Maximum number of keys in one lookup. */
  readonly batch?: number
  /**
   * Omits keys that do not exist; a key in `failed` does not affect other keys. `current` has the values that are still
   * valid, which remain if their keys fail. Must end by itself: it runs in the scope of the cache, not of its callers.
   */
  readonly lookup: (
    keys: ReadonlyArray<string>,
    current: ReadonlyMap<string, A>
  ) => Effect.Effect<CacheLookup<A, E>, E, R>
}

/** Cache of many keys in memory, backed by the store. A store failure is a miss. Equal keys share one lookup. */
export const make = Effect.fnUntraced(function* <A, I, E, R>(options: CacheOptions<A, I, E, R>) {
  const lifetimes = policy<A, E>(options)
  const store = yield* storedEntries<A, I, E>(options, lifetimes)
  const memory = yield* memoryOf<A, E>(options)
  const count = counting(options.name)
  const lookups = yield* lookupsOf(options, lifetimes, memory, store)

  const getMany = (keys: ReadonlyArray<string>): Effect.Effect<CacheLookup<A, E>> =>
    // Uninterruptible until the fiber that completes the lookups has started.
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const reply = replyOf<A, E>(count)
        const awaited: Array<readonly [string, SingleFlight.Run<Completed<A, E>>]> = []
        const missing: Array<string> = []
        const stale: Array<string> = []
        for (const key of new Set(keys)) {
          const entry = memory.get(key)
          const result = entry === undefined ? "miss" : resultOf(entry, now)
          const run = lookups.get(key)
          if (entry !== undefined && result !== "miss") {
            reply.add(key, entry, result)
            if (result !== "stale" || run !== undefined) continue
            lookups.begin(key, entry)
            stale.push(key)
          } else {
            awaited.push([key, run ?? lookups.begin(key)])
            if (run === undefined) missing.push(key)
          }
        }
        if (awaited.length + stale.length === 0) return reply.send
        const completed = Effect.forEach(
          awaited,
          ([key, run]) => Effect.map(SingleFlight.resultOf(run), (completion) => reply.add(key, ...completion)),
          { discard: true }
        )
        const started = missing.length + stale.length === 0 ? Effect.void : lookups.start([...stale, ...missing])
        return started.pipe(Effect.zipRight(restore(completed)), Effect.zipRight(reply.send))
      })
    )

  const get = (key: string): Effect.Effect<Option.Option<A>, E> =>
    Effect.flatMap(getMany([key]), ({ found, failed }) => {
      for (const error of failed.values()) return Effect.fail(error)
      return Effect.succeed(Option.fromIterable(found.values()))
    })

  const recall = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    const freshUntil = (key: string) => memory.peek(key)?.freshUntil ?? 0
    const old = keys.filter((key) => lookups.get(key) === undefined && freshUntil(key) <= now)
    for (const [key, entry] of yield* store.read(old)) if (entry.freshUntil > freshUntil(key)) memory.set(key, entry)
  })

  const put = Effect.fnUntraced(function* (values: ReadonlyMap<string, A | undefined>) {
    const at = yield* Clock.currentTimeMillis
    const present = new Map<string, Dated<A>>()
    for (const [key, value] of values) {
      const entry = lifetimes.entryOf(Exit.succeed(Option.fromNullable(value)), at)
      memory.set(key, entry)
      lookups.supersede(key, entry)
      if (value !== undefined) present.set(key, { at, value })
    }
    yield* store.write(
      present,
      [...values.keys()].filter((key) => !present.has(key))
    )
  })

  const current = (key: string, now: number) => valueOf(memory.get(key), now)

  return { getMany, get, current, recall, put, version: memory.version } satisfies Cache<A, E>
})

/** Separate maps for entries with and without a value: keys that a client invents must not evict values. */
const memoryOf = Effect.fnUntraced(function* <A, E>({
  capacity,
  name
}: Pick<CacheOptions<A, never, E, never>, "capacity" | "name">) {
  const values = yield* BoundedMap.sized<Entry<A, E>>(name, capacity)
  const misses = yield* BoundedMap.sized<Entry<A, E>>(`${name} without value`, capacity)
  let version = 0

  const peek = (key: string) => values.peek(key) ?? misses.peek(key)

  return {
    get: (key: string) => values.get(key) ?? misses.get(key),
    /** The same without counting a use. */
    peek,
    set: (key: string, entry: Entry<A, E>): void => {
      if (valueOf(peek(key)) !== valueOf(entry)) version++
      const [into, other] = valueOf(entry) === undefined ? [misses, values] : [values, misses]
      other.delete(key)
      into.set(key, entry)
    },
    /** Increases when a value is replaced or removed. */
    version: (): number => version
  }
})

type Counts = { [result in CacheResult]: number }

/** Counts the requested keys of the cache of this name by result. */
const counting = (name: string) => {
  const results = ["hit", "stale", "miss", "absent"] as const
  const count = counters("cache_requests_total", "Cache lookups by outcome", { cache: [name], result: results })
  return (counts: Counts) => {
    for (const result of results) if (counts[result] > 0) count(counts[result], name, result)
  }
}

/** Collects the result for one caller. A defect of a lookup is passed on to all callers that wait for its keys. */
const replyOf = <A, E>(count: (counts: Counts) => void) => {
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

/** The entry of a key that was looked up, and whether it counts as a hit or a miss. */
type Completed<A, E> = readonly [Entry<A, E>, CacheResult]

type Serving<A, E> = ReadonlyMap<string, Entry<A, E>>

const validValues = <A, E>(keys: ReadonlyArray<string>, serving: Serving<A, E>, now: number) => {
  const values = new Map<string, A>()
  for (const key of keys) {
    const value = valueOf(serving.get(key), now)
    if (value !== undefined) values.set(key, value)
  }
  return values
}

/** The lookups in flight. A key is in one lookup at a time, and its current value is served meanwhile. */
const lookupsOf = Effect.fnUntraced(function* <A, I, E, R>(
  { batch = Number.MAX_SAFE_INTEGER, lookup, name, window = 0 }: CacheOptions<A, I, E, R>,
  { refreshed }: ReturnType<typeof policy<A, E>>,
  memory: Effect.Effect.Success<ReturnType<typeof memoryOf<A, E>>>,
  store: Effect.Effect.Success<ReturnType<typeof storedEntries<A, I, E>>>
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const runs = SingleFlight.runs<string, Completed<A, E>>()
  const serving = new Map<string, Entry<A, E>>()
  const refreshes = yield* Refreshes.make(name)

  const begin = (key: string, entry?: Entry<A, E>) => {
    if (entry !== undefined) serving.set(key, entry)
    return runs.begin(key)
  }

  const complete = (key: string, entry: Entry<A, E>, result: CacheResult) => {
    memory.set(key, entry)
    serving.delete(key)
    runs.get(key)?.complete(Exit.succeed([entry, result]))
  }

  const look = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const before = validValues(keys, serving, yield* Clock.currentTimeMillis)
    const exit = yield* Effect.exit(Effect.suspend(() => lookup(keys, before)))
    const now = yield* Clock.currentTimeMillis
    const values = new Map<string, Dated<A>>()
    const gone: Array<string> = []
    for (const key of keys) {
      const previous = serving.get(key)
      const outcome = outcomeOf(exit, key)
      complete(key, refreshed(outcome, previous, now), "miss")
      if (Exit.isFailure(outcome)) continue
      if (Option.isSome(outcome.value)) values.set(key, { at: now, value: outcome.value.value })
      else if (previous !== undefined) gone.push(key)
    }
    yield* Effect.zipRight(store.write(values, gone), refreshes.release(keys))
  })

  const lookUpBatched = batching(Duration.decode(window), (keys) =>
    Effect.forEach(Arr.chunksOf(keys, batch), look, { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(context)
    )
  )

  /** Completes all these keys, from the store if possible: another process may have refreshed them there. */
  const completeAll = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const stored = yield* store.read(keys)
    const now = yield* Clock.currentTimeMillis
    const wanted: Array<string> = []
    for (const key of keys) {
      const entry = stored.get(key)
      const result = entry === undefined ? "miss" : resultOf(entry, now)
      if (result !== "hit") wanted.push(key)
      if (entry === undefined || result === "miss") continue
      if (!serving.has(key) || result === "hit") complete(key, entry, result)
      if (result === "stale" && !serving.has(key)) begin(key, entry)
    }
    for (const [key, entry] of yield* refreshes.ofOthers(wanted, serving)) complete(key, postponed(entry, now), "stale")
    const mine = wanted.filter((key) => runs.get(key) !== undefined)
    if (mine.length > 0) yield* lookUpBatched(mine)
  })

  return {
    get: runs.get,
    /** Serves `entry` during the lookup. The caller must call `start` next. */
    begin,
    start: (keys: ReadonlyArray<string>) =>
      Effect.interruptible(completeAll(keys)).pipe(
        // Happens only when the scope ends, when no other code completes the lookups.
        Effect.onError((cause) => Effect.sync(() => runs.completeAll(Exit.failCause(cause)))),
        Effect.forkIn(scope)
      ),
    /** Serves this entry while a lookup of the key is in flight. */
    supersede: (key: string, entry: Entry<A, E>): void => {
      if (runs.get(key) !== undefined) serving.set(key, entry)
    }
  }
})

/** The values of a cache in the store: those evicted from memory, and those that another process looked up. */
const storedEntries = <A, I, E>(
  { name, schema, version }: Pick<CacheOptions<A, I, E, never>, "name" | "schema" | "version">,
  { longest, restored }: Pick<ReturnType<typeof policy<A, E>>, "longest" | "restored">
) =>
  Effect.map(dated(name, version, schema), (store) => ({
    /** The entries of these keys that are still valid. */
    read: Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      const stored = yield* store.getMany(keys)
      const now = yield* Clock.currentTimeMillis
      const entries = new Map<string, Entry<A, E>>()
      for (const [key, { at, value }] of stored) {
        const entry = restored(value, at, now)
        if (entry !== undefined) entries.set(key, entry)
      }
      return entries
    }),
    write: (values: ReadonlyMap<string, Dated<A>>, gone: ReadonlyArray<string>): Effect.Effect<void> =>
      Effect.zipRight(store.setMany(values, longest), store.remove(gone))
  }))

/** Runs once for the keys of all callers within the window: the first caller waits and runs it for all of them. */
const batching = (window: Duration.Duration, run: (keys: ReadonlyArray<string>) => Effect.Effect<void>) => {
  if (Duration.isZero(window)) return run
  let gathered: Array<string> = []
  const take = Effect.sync(() => {
    const all = gathered
    gathered = []
    return all
  })
  const wait = Effect.zipRight(
    Effect.onInterrupt(Effect.sleep(window), () => take),
    take
  )
  return (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => (gathered.push(...keys) === keys.length ? Effect.flatMap(wait, run) : Effect.void))
}
