import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as SingleFlight from "../kernel/SingleFlight.ts"
import type * as CacheMemory from "./CacheMemory.ts"
import { gathering } from "./gather.ts"
import type { Dated } from "./Store.ts"
import {
  type CacheAnswer,
  type CacheResult,
  type Entry,
  outcomeOf,
  type policy,
  resultOf,
  valueOf
} from "./staleWhileRevalidate.ts"
import type { storedEntries } from "./storedEntries.ts"

export interface LookupOptions<A, E, R> {
  /** How long the keys of different callers are gathered for one lookup; without it, not at all. */
  readonly window?: Duration.DurationInput
  /** The largest number of keys in one lookup. */
  readonly batch?: number
  /**
   * Leaves out the keys that do not exist; a key in `failed` costs no other. `current` has the values that are
   * still valid, and that remain if their keys fail. Runs in the scope of the cache, not of its callers, so it has to end by itself.
   */
  readonly lookup: (
    keys: ReadonlyArray<string>,
    current: ReadonlyMap<string, A>
  ) => Effect.Effect<CacheAnswer<A, E>, E, R>
}

/** The entry of a key that was looked up, and whether it counts as a hit or a miss. */
export type Completed<A, E> = readonly [Entry<A, E>, CacheResult]

type Serving<A, E> = ReadonlyMap<string, Entry<A, E>>

const stillGood = <A, E>(keys: ReadonlyArray<string>, serving: Serving<A, E>, now: number) => {
  const values = new Map<string, A>()
  for (const key of keys) {
    const value = valueOf(serving.get(key), now)
    if (value !== undefined) values.set(key, value)
  }
  return values
}

/** The lookups in flight: each key is in one at a time, and its current value is served meanwhile. */
export const make = Effect.fnUntraced(function* <A, I, E, R>(
  { batch = Number.MAX_SAFE_INTEGER, lookup, window = 0 }: LookupOptions<A, E, R>,
  { refreshed }: ReturnType<typeof policy<A, E>>,
  memory: ReturnType<typeof CacheMemory.make<A, E>>,
  store: Effect.Effect.Success<ReturnType<typeof storedEntries<A, I, E>>>
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const runs = SingleFlight.runs<string, Completed<A, E>>()
  const serving = new Map<string, Entry<A, E>>()

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
    const current = stillGood(keys, serving, yield* Clock.currentTimeMillis)
    const exit = yield* Effect.exit(Effect.suspend(() => lookup(keys, current)))
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
    yield* store.write(values, gone)
  })

  const lookSoon = gathering(Duration.decode(window), (keys) =>
    Effect.forEach(Arr.chunksOf(keys, batch), look, { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(context)
    )
  )

  /** Completes all these keys. Another process may have refreshed in the store what is stale here. */
  const completeAll = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const stored = yield* store.read(keys)
    const now = yield* Clock.currentTimeMillis
    const wanted: Array<string> = []
    for (const key of keys) {
      const entry = stored.get(key)
      const result = entry === undefined ? "miss" : resultOf(entry, now)
      const isServed = serving.has(key)
      if (result !== "hit") wanted.push(key)
      if (entry === undefined || result === "miss") continue
      if (!isServed || result === "hit") complete(key, entry, result)
      if (result === "stale" && !isServed) begin(key, entry)
    }
    if (wanted.length > 0) yield* lookSoon(wanted)
  })

  return {
    get: runs.get,
    /** `entry` is served meanwhile. Has to be followed by `start`. */
    begin,
    start: (keys: ReadonlyArray<string>) =>
      Effect.interruptible(completeAll(keys)).pipe(
        // This happens only at the end of the scope, when nothing else completes a lookup.
        Effect.onError((cause) => Effect.sync(() => runs.completeAll(Exit.failCause(cause)))),
        Effect.forkIn(scope)
      ),
    /** While a lookup of the key is under way, this is served. */
    supersede: (key: string, entry: Entry<A, E>): void => {
      if (runs.get(key) !== undefined) serving.set(key, entry)
    }
  }
})
