import { assert, describe } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { backgroundDone, caching, countingLookup, type Found, test, usd } from "./caching.ts"

describe("a cache with a failing lookup", () => {
  test("caches a failure briefly, and returns it to all callers", function* () {
    let calls = 0
    const cache = yield* caching(() =>
      Effect.suspend(() => (++calls === 1 ? Effect.fail("down") : Effect.succeed<Found>(new Map([["a", { usd: 2 }]]))))
    )
    const failures = yield* Effect.all([Effect.flip(cache.get("a")), Effect.flip(cache.get("a"))], {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(failures, ["down", "down"])
    yield* TestClock.adjust("1999 millis")
    assert.strictEqual(yield* Effect.flip(cache.get("a")), "down")
    assert.strictEqual(calls, 1)
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 2 }))
  })

  test("loses only the keys of the batch that failed", function* () {
    const { lookup } = countingLookup()
    const cache = yield* caching((keys) => (keys.includes("bad") ? Effect.fail("down") : lookup(keys)), { batch: 2 })
    yield* cache.get("known")
    const { failed, found } = yield* cache.getMany(["a", "b", "bad", "c", "known", "d"])
    assert.sameMembers([...found.keys()], ["known", "a", "b", "d"])
    assert.deepStrictEqual(
      [...failed],
      [
        ["bad", "down"],
        ["c", "down"]
      ]
    )
  })

  test("continues to serve a stale value whose refresh failed, and retries after a pause", function* () {
    let calls = 0
    const cache = yield* caching(() =>
      Effect.suspend(() => (++calls === 1 ? Effect.succeed<Found>(new Map([["a", { usd: 1 }]])) : Effect.fail("down")))
    )
    yield* cache.get("a")
    yield* TestClock.adjust("10 seconds")
    yield* cache.get("a")
    yield* backgroundDone
    yield* TestClock.adjust("1999 millis")
    assert.deepStrictEqual(yield* cache.get("a"), Option.some({ usd: 1 }))
    yield* backgroundDone
    assert.strictEqual(calls, 2)
    yield* TestClock.adjust("1 millis")
    yield* cache.get("a")
    yield* backgroundDone
    assert.strictEqual(calls, 3)
    yield* TestClock.adjust("48 seconds")
    assert.strictEqual(yield* Effect.flip(cache.get("a")), "down")
  })

  test("passes a defect on to all callers without blocking them, and recovers", function* () {
    let calls = 0
    const { lookup } = countingLookup()
    const cache = yield* caching((keys) => {
      calls++
      if (calls === 1) throw new Error("thrown")
      return calls === 2 ? Effect.dieMessage("died") : lookup(keys)
    })
    const both = yield* Effect.all([Effect.exit(cache.get("a")), Effect.exit(cache.get("a"))], {
      concurrency: "unbounded"
    })
    for (const exit of both) assert.include(Cause.pretty(Option.getOrThrow(Exit.causeOption(exit))), "thrown")
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(cache.getMany(["a", "b"]))))
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(usd(yield* cache.getMany(["a", "b"])), { a: 1, b: 1 })
  })
})
