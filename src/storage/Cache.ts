import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SingleFlight from "../kernel/SingleFlight.ts"
import * as CacheMemory from "./CacheMemory.ts"
import * as CacheReply from "./CacheReply.ts"
import * as Lookups from "./Lookups.ts"
import type { Dated } from "./Store.ts"
import { type CacheAnswer, type Lifetimes, policy, resultOf, valueOf } from "./staleWhileRevalidate.ts"
import { storedEntries } from "./storedEntries.ts"

export type { CacheAnswer as Answer } from "./staleWhileRevalidate.ts"

export interface Cache<A, E> {
  /** Cannot fail: a failing lookup costs only its own keys. Only a defect of the lookup is passed on as it is. */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<CacheAnswer<A, E>>
  readonly get: (key: string) => Effect.Effect<Option.Option<A>, E>
  /** Loads the stored values of these keys into memory, fresh or stale; looks nothing up. */
  readonly recall: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  /** The value of a key in memory at this time (ms), fresh or stale. */
  readonly current: (key: string, now: number) => A | undefined
  /** Accepts values as if they had just been looked up; an undefined value is known not to exist. */
  readonly put: (values: ReadonlyMap<string, A | undefined>) => Effect.Effect<void>
  /** Grows with every value in memory that is replaced or removed. */
  readonly version: () => number
}

export interface CacheOptions<A, I, E, R> extends Lifetimes<A>, Lookups.LookupOptions<A, E, R> {
  readonly name: string
  /** To be raised with every change of the schema: values of another version are not seen. */
  readonly version: number
  readonly schema: Schema.Schema<A, I>
  /** The number of keys with a value in memory, and also of those without a value. */
  readonly capacity: number
}

/** Values of many keys, in memory before the store; a failure of the store is a miss. Equal keys join one lookup. */
export const make = Effect.fnUntraced(function* <A, I, E, R>(options: CacheOptions<A, I, E, R>) {
  const lifetimes = policy<A, E>(options)
  const store = yield* storedEntries<A, I, E>(options, lifetimes)
  const memory = CacheMemory.make<A, E>(options.capacity)
  const count = CacheReply.counting(options.name)
  const lookups = yield* Lookups.make(options, lifetimes, memory, store)

  const getMany = (keys: ReadonlyArray<string>): Effect.Effect<CacheAnswer<A, E>> =>
    // Uninterruptible until the fiber that completes the lookups has started.
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const reply = CacheReply.make<A, E>(count)
        const awaited: Array<readonly [string, SingleFlight.Run<Lookups.Completed<A, E>>]> = []
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
    const freshUntil = (key: string) => memory.get(key)?.freshUntil ?? 0
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
