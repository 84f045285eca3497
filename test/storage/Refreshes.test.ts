import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { take } from "../../src/storage/quota/Quota.ts"
import { LimitSharing } from "../../src/storage/quota/SharedQuotas.ts"
import { Store, StoreError } from "../../src/storage/Store.ts"
import { backgroundDone, caching, countingLookup, test, usd } from "./caching.ts"

/** The store as one that several processes share. */
const shared = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.provideService(LimitSharing, { processes: () => 2, live: () => 2 }),
    Effect.updateService(Store, (store) => ({ ...store, take: (taking) => Effect.succeed(take(taking, [], 0)) }))
  )

/** Two processes with a cache of the same name. */
const twoCaches = Effect.gen(function* () {
  const { calls, lookup } = countingLookup()
  const [first, second] = [yield* caching(lookup), yield* caching(lookup)]
  yield* first.getMany(["a", "b"])
  yield* backgroundDone
  yield* second.getMany(["a", "b"])
  assert.lengthOf(calls, 1)
  yield* TestClock.adjust("10 seconds")
  return { calls, first, second }
})

describe("a stale value of several processes", () => {
  test("is refreshed by one of them; the others read it from the store", () =>
    Effect.gen(function* () {
      const { calls, first, second } = yield* twoCaches
      const [one, other] = yield* Effect.all([first.getMany(["a"]), second.getMany(["a", "b"])])
      assert.deepStrictEqual([usd(one), usd(other)], [{ a: 1 }, { a: 1, b: 1 }])
      yield* backgroundDone
      // The second one refreshes only the key that the first one does not.
      assert.deepStrictEqual(calls, [["a", "b"], ["a"], ["b"]])
      yield* TestClock.adjust("1 second")
      yield* second.getMany(["a"])
      yield* backgroundDone
      assert.deepStrictEqual(usd(yield* second.getMany(["a"])), { a: 2 })
      assert.lengthOf(calls, 3)
    }).pipe(shared))

  test("is refreshed by each of them while leases fail", () =>
    Effect.gen(function* () {
      const { calls, first, second } = yield* twoCaches
      yield* Effect.all([first.getMany(["a"]), second.getMany(["a"])])
      yield* backgroundDone
      assert.lengthOf(calls, 3)
    }).pipe(
      Effect.updateService(Store, (store) => ({
        ...store,
        claim: () => Effect.fail(new StoreError({ operation: "claim", cause: "away" }))
      })),
      shared
    ))
})
