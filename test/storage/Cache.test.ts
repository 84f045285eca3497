import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as MemoryBudget from "../../src/kernel/collections/MemoryBudget.ts"
import { backgroundDone, caching, countingLookup, type Found, test, usd } from "./caching.ts"

describe("a cache with fresh and stale values", () => {
  test("looks a key up once and serves it while it is fresh", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup)
    assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b", "a"])), { a: 1, b: 1 })
    yield* TestClock.adjust("9999 millis")
    assert.deepStrictEqual(usd(yield* cache.getMany(["b", "a"])), { a: 1, b: 1 })
    assert.deepStrictEqual(calls, [["a", "b"]])
  })

  test("looks a key up again if the clock was set back, because the age of its value is unknown", function* () {
    yield* TestClock.setTime(10 * 3_600_000)
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup)
    yield* cache.getMany(["a"])
    yield* TestClock.setTime(10 * 3_600_000 - 59_000)
    yield* cache.getMany(["a"])
    assert.strictEqual(calls.length, 1, "a small correction of the clock is accepted")
    yield* TestClock.setTime(9 * 3_600_000)
    assert.isUndefined(cache.current("a", 9 * 3_600_000))
    assert.deepStrictEqual(usd(yield* cache.getMany(["a"])), { a: 2 })
  })

  test("looks up only missing keys, and makes no lookup if no key is requested", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup)
    yield* cache.getMany([])
    yield* cache.getMany(["a"])
    assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b"])), { a: 1, b: 2 })
    assert.deepStrictEqual(calls, [["a"], ["b"]])
  })

  test("counts the reads of its callers in the memory budget, not its own", function* () {
    const budget = MemoryBudget.make(1_000_000)
    const inBudget = Effect.provideService(MemoryBudget.CurrentMemoryBudget, budget)
    const cache = yield* inBudget(caching(countingLookup().lookup))
    for (const keys of [["a"], ["a"], ["a", "no-a"]]) yield* cache.getMany(keys)
    yield* cache.recall(["a"])
    const { hits, misses } = budget.usage().get("prices") ?? {}
    assert.deepStrictEqual({ hits, misses }, { hits: 2, misses: 2 })
  })

  test("keeps its values if many keys without a value are requested", function* () {
    const cache = yield* caching(countingLookup().lookup, { capacity: 3 })
    yield* cache.getMany(["a", "b"])
    yield* cache.getMany(Array.from({ length: 20 }, (_, index) => `no-${index}`))
    const now = yield* TestClock.currentTimeMillis
    assert.deepStrictEqual([cache.current("a", now), cache.current("b", now)], [{ usd: 1 }, { usd: 1 }])
  })

  test("serves a stale value at once, and one background refresh replaces it", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup)
    yield* cache.get("a")
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 1 }))
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 1 }))
    yield* backgroundDone
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 2 }))
    assert.deepStrictEqual(calls, [["a"], ["a"]])
  })

  test("serves no value that is older than its fresh and stale periods together", function* () {
    const cache = yield* caching(countingLookup().lookup)
    yield* cache.get("a")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 2 }))
  })

  test("counts age from the end of the lookup", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching((keys) => Effect.delay(lookup(keys), "8 seconds"))
    const first = yield* Effect.fork(cache.get("a"))
    yield* TestClock.adjust("8 seconds")
    yield* Fiber.join(first)
    yield* TestClock.adjust("9 seconds")
    yield* cache.get("a")
    yield* backgroundDone
    assert.strictEqual(calls.length, 1)
  })

  test("remembers for a while that a key has no value", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup)
    const { failed, found } = yield* cache.getMany(["no-a", "b"])
    assert.deepStrictEqual([[...found.keys()], failed.size], [["b"], 0])
    yield* TestClock.adjust("4999 millis")
    assert.deepStrictEqual(yield* cache.get("no-a"), Option.none())
    assert.strictEqual(calls.length, 1)
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* cache.get("no-a"), Option.none())
    assert.deepStrictEqual(calls, [["no-a", "b"], ["no-a"]])
  })

  test("drops a value that a refresh no longer finds, in the store too", function* () {
    let there = true
    const cache = yield* caching(() => Effect.sync((): Found => new Map(there ? [["a", { usd: 1 }]] : [])))
    yield* cache.get("a")
    there = false
    yield* TestClock.adjust("10 seconds")
    yield* cache.get("a")
    yield* backgroundDone
    assert.deepStrictEqual(yield* cache.get("a"), Option.none())
    yield* TestClock.adjust("6 seconds")
    assert.deepStrictEqual(yield* cache.get("a"), Option.none())
  })
})

describe("a cache with concurrent callers", () => {
  test("joins callers that request the same keys", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching((keys) => Effect.delay(lookup(keys), "1 second"))
    const caller = yield* Effect.fork(
      Effect.all([cache.getMany(["a", "b"]), cache.getMany(["b", "a"]), cache.getMany(["b", "c"])], {
        concurrency: "unbounded"
      })
    )
    yield* TestClock.adjust("1 second")
    const answers = yield* Fiber.join(caller)
    assert.sameDeepMembers(calls, [["a", "b"], ["c"]])
    assert.deepStrictEqual(
      answers.map(({ found }) => [...found.keys()].join()),
      ["a,b", "b,a", "b,c"]
    )
  })

  test("gathers the keys of a window and looks them up in batches", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup, { window: "5 millis", batch: 2 })
    const caller = yield* Effect.fork(
      Effect.forEach(["a", "b", "a", "c", "d", "e"], cache.get, { concurrency: "unbounded" })
    )
    yield* TestClock.adjust("4 millis")
    assert.strictEqual(calls.length, 0)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(caller)).filter(Option.isSome).length, 6)
    assert.deepStrictEqual(calls, [["a", "b"], ["c", "d"], ["e"]])
    const later = yield* Effect.fork(cache.get("f"))
    yield* TestClock.adjust("5 millis")
    yield* Fiber.join(later)
    assert.deepStrictEqual(calls[3], ["f"])
  })

  test("gathers stale keys with missing keys", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching(lookup, { window: "5 millis" })
    const query = (keys: ReadonlyArray<string>) =>
      Effect.fork(cache.getMany(keys)).pipe(
        Effect.tap(() => TestClock.adjust("5 millis")),
        Effect.flatMap(Fiber.join)
      )
    yield* query(["a"])
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(usd(yield* query(["a", "b"])), { a: 1, b: 2 })
    assert.deepStrictEqual(calls, [["a"], ["a", "b"]])
  })

  test("continues a lookup when its first caller is interrupted, and when all its callers are interrupted", function* () {
    const { calls, lookup } = countingLookup()
    const cache = yield* caching((keys) => Effect.delay(lookup(keys), "1 second"))
    const first = yield* Effect.fork(cache.get("a"))
    yield* backgroundDone
    const second = yield* Effect.fork(cache.get("a"))
    yield* backgroundDone
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.join(second), Option.some({ usd: 1 }))

    const alone = yield* Effect.fork(cache.get("b"))
    yield* backgroundDone
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(alone)))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* cache.get("b"), Option.some({ usd: 2 }))
    assert.deepStrictEqual(calls, [["a"], ["b"]])
  })

  test("looks up again after a caller that was interrupted immediately", function* () {
    const cache = yield* caching(countingLookup().lookup)
    for (let yields = 0; yields < 10; yields++) {
      const fiber = yield* Effect.fork(cache.get(`key-${yields}`))
      for (let i = 0; i < yields; i++) yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      yield* backgroundDone
      assert.isTrue(Option.isSome(yield* cache.get(`key-${yields}`)))
    }
  })

  test("interrupts waiting and new callers when its scope has ended", function* () {
    const scope = yield* Scope.make()
    const cache = yield* Scope.extend(
      caching(() => Effect.never, { window: "5 millis" }),
      scope
    )
    const waiting = yield* Effect.fork(cache.get("a"))
    yield* TestClock.adjust("5 millis")
    const gathered = yield* Effect.fork(cache.get("b"))
    yield* backgroundDone
    yield* Scope.close(scope, Exit.void)
    for (const fiber of [waiting, gathered, yield* Effect.fork(cache.get("c"))]) {
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(fiber)))
    }
  })
})
