import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Memory from "../../../src/storage/Memory.ts"
import * as LiveProcesses from "../../../src/storage/quota/LiveProcesses.ts"
import { listStore, Store, StoreError } from "../../../src/storage/Store.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const started = Effect.gen(function* () {
  const scope = yield* Scope.make()
  return { live: yield* Scope.extend(LiveProcesses.make(1), scope), scope }
})

describe("the number of processes that share a store", () => {
  it.effect("follows those that start, end, and are killed", () =>
    Effect.gen(function* () {
      const all = yield* Effect.replicateEffect(started, 40)
      const [first, second, third] = all
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(new Set(all.map(({ live }) => live())), new Set([40]))
      yield* Scope.close(second?.scope ?? (yield* Scope.make()), Exit.void)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(first?.live(), 39)
      // A killed process writes nothing more.
      const store = yield* Store
      const killed = yield* Effect.provideService(started, Store, {
        ...store,
        open: (name, version) => {
          const entries = store.open(name, version)
          let writes = 0
          return {
            ...entries,
            changeLists: (...words) => (writes++ === 0 ? entries.changeLists(...words) : Effect.void)
          }
        }
      })
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(third?.live(), 40)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(third?.live(), 39)
      for (const { scope } of [killed, ...all]) yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.provide(Layer.fresh(Memory.layer())))
  )

  for (const skew of [-3_600_000, -25_000, 45_000, 3_600_000])
    it.effect(`counts a process whose clock differs by ${skew} ms, and not once it is silent`, () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        const entries = (yield* Store).open(`${listStore}processes`, 1)
        const { live, scope } = yield* started
        const say = (time: number) => entries.changeLists(["3"], { add: [`other ${time + skew + 20_000}`] }, "1 hour")
        for (let beat = 0; beat < 4; beat++) {
          yield* say(7_200_000 + beat * 5_000)
          yield* TestClock.adjust("5 seconds")
        }
        assert.strictEqual(live(), 2)
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(live(), 1)
        yield* Scope.close(scope, Exit.void)
      }).pipe(Effect.provide(Layer.fresh(Memory.layer())))
    )

  it.effect("does not change while the store fails", () =>
    Effect.gen(function* () {
      let isFailing = false
      const failing = new StoreError({ operation: "getMany", cause: "away" })
      const process = yield* Effect.provideServiceEffect(
        started,
        Store,
        Effect.map(Store, (store) => ({
          ...store,
          open: (name, version) => {
            const entries = store.open(name, version)
            return { ...entries, getMany: (keys) => (isFailing ? failing : entries.getMany(keys)) }
          }
        }))
      )
      const other = yield* started
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(process.live(), 2)
      isFailing = true
      yield* Scope.close(other.scope, Exit.void)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(process.live(), 2)
      isFailing = false
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(process.live(), 1)
      yield* Scope.close(process.scope, Exit.void)
    }).pipe(Effect.provide(Layer.fresh(Memory.layer())))
  )
})
