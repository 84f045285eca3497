import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { type Entries, Store, StoreError } from "../../src/storage/Store.ts"
import { backgroundDone, caching, countingLookup, type Found, test, usd } from "./caching.ts"

/** The store with some of its methods changed. */
const changed = (change: (entries: Entries) => Partial<Entries>) =>
  Effect.updateService(Store, (store) => ({
    ...store,
    open: (name, version) => {
      const entries = store.open(name, version)
      return { ...entries, ...change(entries) }
    }
  }))

/** Records each read and write of the store. */
const noting = (done: Array<string>) => {
  const note = (text: string) => Effect.sync(() => done.push(text))
  return changed(({ getMany, setMany }) => ({
    getMany: (keys) => Effect.zipRight(note(`get ${keys}`), getMany(keys)),
    setMany: (values, ttl) => Effect.zipRight(note(`set ${[...values.keys()]}`), setMany(values, ttl))
  }))
}

describe("a cache over a store", () => {
  test("serves stored values after a restart, with their age", function* () {
    const { calls, lookup } = countingLookup()
    yield* Effect.scoped(
      Effect.zipRight(
        Effect.flatMap(caching(lookup), (cache) => cache.getMany(["a", "b"])),
        backgroundDone
      )
    )
    yield* TestClock.adjust("9 seconds")
    const cache = yield* caching(lookup)
    assert.deepStrictEqual(usd(yield* cache.getMany(["a"])), { a: 1 })
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b"])), { a: 1, b: 1 })
    assert.strictEqual(calls.length, 1)
    yield* backgroundDone
    assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b"])), { a: 2, b: 2 })
  })

  test("does not see values of another version", function* () {
    const { lookup } = countingLookup()
    yield* (yield* caching(lookup)).get("a")
    yield* backgroundDone
    assert.deepStrictEqual(yield* (yield* caching(lookup, { version: 2 })).get("a"), Option.some({ usd: 2 }))
  })

  test("reads the store once for many keys, and not at all if they are in memory; writes many values at once", () => {
    const done: Array<string> = []
    return Effect.gen(function* () {
      const cache = yield* caching(countingLookup().lookup)
      yield* cache.getMany(["a", "b", "no-c"])
      yield* backgroundDone
      yield* cache.getMany(["b", "a", "no-c"])
      yield* Effect.all([cache.get("d"), cache.get("d")], { concurrency: "unbounded" })
      yield* backgroundDone
      assert.deepStrictEqual(done, ["get a,b,no-c", "set a,b", "get d", "set d"])
    }).pipe(noting(done))
  })

  test("responds without waiting for the write", () =>
    Effect.gen(function* () {
      const cache = yield* caching(countingLookup().lookup)
      assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 1 }))
    }).pipe(changed(() => ({ setMany: () => Effect.never }))))

  test("looks up a key whose stored value cannot be read", function* () {
    const entries = (yield* Store).open("prices", 1)
    const odd = [null, 1, "text", {}, { at: "now", value: { usd: 1 } }, { at: 0, value: { usd: "much" } }]
    yield* entries.setMany(new Map(odd.map((value, index) => [`key-${index}`, value])), "1 minute")
    yield* entries.setMany(new Map([["good", { at: 0, value: { usd: 9 } }]]), "1 minute")
    const cache = yield* caching(countingLookup().lookup)
    const answer = usd(yield* cache.getMany([...odd.keys()].map((index) => `key-${index}`).concat("good")))
    assert.deepStrictEqual(Object.values(answer).sort(), [1, 1, 1, 1, 1, 1, 9])
  })

  test("looks up a key whose stored value is from the future: its age is unknown after the clock was set back", function* () {
    yield* (yield* Store).open("prices", 1).setMany(new Map([["a", { at: 1000, value: { usd: 9 } }]]), "1 hour")
    const cache = yield* caching(countingLookup().lookup)
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 1 }))
  })

  const failure = (operation: StoreError["operation"]) => new StoreError({ operation, cause: new Error("disk full") })
  const broken = {
    fails: changed(() => ({
      getMany: () => Effect.fail(failure("getMany")),
      setMany: () => Effect.fail(failure("setMany")),
      remove: () => Effect.fail(failure("remove"))
    })),
    dies: changed(() => ({
      getMany: () => Effect.dieMessage("bug"),
      setMany: () => Effect.dieMessage("bug"),
      remove: () => Effect.dieMessage("bug")
    })),
    hangs: changed(() => ({ getMany: () => Effect.never, setMany: () => Effect.never, remove: () => Effect.never }))
  }
  for (const [how, breaking] of Object.entries(broken)) {
    test(`works with a store that ${how}, with a log line for reads and another for writes`, () => {
      const logged: Array<LogLevel.LogLevel> = []
      const logger = Logger.make(({ logLevel }) => void logged.push(logLevel))
      return Effect.gen(function* () {
        const { calls, lookup } = countingLookup()
        const cache = yield* caching(lookup)
        const caller = yield* Effect.fork(cache.getMany(["a", "b", "no-c"]))
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual(usd(yield* caller), { a: 1, b: 1 })
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b"])), { a: 1, b: 1 })
        assert.deepStrictEqual([calls.length, logged], [1, [LogLevel.Warning, LogLevel.Warning]])
      }).pipe(breaking, Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    })
  }
})

describe("a cache in memory", () => {
  test("holds at most as many keys as its capacity, and still responds to a request for more keys", () => {
    const done: Array<string> = []
    return Effect.gen(function* () {
      const { calls, lookup } = countingLookup()
      const cache = yield* caching(lookup, { capacity: 2 })
      assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b", "c"])), { a: 1, b: 1, c: 1 })
      yield* backgroundDone
      assert.deepStrictEqual(usd(yield* cache.getMany(["b", "c"])), { b: 1, c: 1 })
      assert.deepStrictEqual(done, ["get a,b,c", "set a,b,c"])
      assert.deepStrictEqual(usd(yield* cache.getMany(["a"])), { a: 1 })
      assert.deepStrictEqual([done[2], calls.length], ["get a", 1])
    }).pipe(noting(done))
  })

  test("counts the keys by hit, stale, miss and absent", function* () {
    const cache = yield* caching(countingLookup().lookup, { name: "counted" })
    yield* cache.getMany(["a", "b", "no-c", "a"])
    yield* cache.getMany(["a", "no-c"])
    yield* TestClock.adjust("10 seconds")
    yield* cache.getMany(["a", "b"])
    yield* backgroundDone
    yield* cache.getMany(["a"])
    const counted = (result: string) =>
      Metric.counter("cache_requests_total", {
        description: "Cache lookups by outcome",
        incremental: true
      }).pipe(Metric.tagged("cache", "counted"), Metric.tagged("result", result), Metric.value)
    const counts = yield* Effect.forEach(["hit", "stale", "miss", "absent"], counted)
    assert.deepStrictEqual(
      counts.map(({ count }) => count),
      [2, 2, 3, 1]
    )
  })

  class Usd extends Context.Tag("test/Usd")<Usd, number>() {}
  test("provides its lookup with the required services", () =>
    Effect.gen(function* () {
      const cache = yield* caching((keys) =>
        Effect.map(Usd, (usd): Found => new Map(keys.map((key) => [key, { usd }])))
      )
      assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 7 }))
    }).pipe(Effect.provideService(Usd, 7)))
})
