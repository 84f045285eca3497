import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Cache from "../../src/storage/Cache.ts"
import * as Memory from "../../src/storage/Memory.ts"
import type { Store } from "../../src/storage/Store.ts"
import { type Body, effectOf, it } from "../support/vitest.ts"

const Value = Schema.Struct({ usd: Schema.Number })
type Value = typeof Value.Type

export type Found = ReadonlyMap<string, Value>

/** Every key has a value, 1 at the first lookup, 2 at the second …, except those that begin with "no-". */
export const countingLookup = () => {
  const calls: Array<ReadonlyArray<string>> = []
  const lookup = (keys: ReadonlyArray<string>) =>
    Effect.sync((): Found => {
      calls.push([...keys])
      const usd = calls.length
      return new Map(keys.filter((key) => !key.startsWith("no-")).map((key) => [key, { usd }]))
    })
  return { calls, lookup }
}

export const caching = <E, R>(
  lookup: (keys: ReadonlyArray<string>) => Effect.Effect<Found, E, R>,
  more: Partial<Omit<Cache.CacheOptions<Value, Value, E, R>, "lookup">> = {}
) =>
  Cache.make({
    name: "prices",
    version: 1,
    schema: Value,
    fresh: "10 seconds",
    stale: "50 seconds",
    notFound: "5 seconds",
    failure: "2 seconds",
    capacity: 100,
    lookup: (keys) => Effect.map(lookup(keys), (found) => ({ found, failed: new Map() })),
    ...more
  })

/** Lets background work complete. */
export const backgroundDone = TestClock.adjust(0)

export const usd = <E>({ found }: Cache.Answer<Value, E>) =>
  Object.fromEntries([...found].map(([key, value]) => [key, value.usd]))

/** Defines a test that has its own store in memory. */
export const test = (name: string, body: () => Body<Store | Scope.Scope>) =>
  it.scoped(name, () => Effect.provide(effectOf(body()), Layer.fresh(Memory.layer())))
