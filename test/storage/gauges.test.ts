import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { measureAll } from "../../src/kernel/counters.ts"
import { LimitSharing } from "../../src/storage/quota/SharedQuotas.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store, StoreError } from "../../src/storage/Store.ts"
import { layerWithHealth } from "../../src/storage/Stores.ts"
import { samples } from "../support/samples.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { sharing, switchable } from "./quota/sharing.ts"

/** The value of a gauge when the metrics are read, with no other operation of the store. */
const read = (metric: string, labels = "") =>
  Effect.zipRight(
    measureAll,
    Effect.map(samples(metric), (all) => all[labels])
  )

const inMemory = Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(":memory:"))), (context) =>
  Effect.provide(Store, context)
)

describe("the gauges of the store", () => {
  it("are those of now, not of the last operation, and a read of the metrics waits at most 200 ms for a probe", function* () {
    let behaviour: "works" | "fails" | "hangs" = "works"
    let reads = 0
    const as =
      (operation: StoreError["operation"]) =>
      <A>(works: Effect.Effect<A>): Effect.Effect<A, StoreError> =>
        Effect.suspend(() => {
          if (operation === "getMany") reads++
          if (behaviour === "hangs") return Effect.never
          return behaviour === "works" ? works : Effect.fail(new StoreError({ operation, cause: "away" }))
        })
    const entries = {
      getMany: () => as("getMany")(Effect.succeed(new Map<string, unknown>())),
      setMany: () => as("setMany")(Effect.void),
      changeLists: () => as("changeLists")(Effect.void),
      remove: () => as("remove")(Effect.void),
      clear: as("clear")(Effect.void)
    }
    const store = Layer.succeed(
      Store,
      Store.of({ open: () => entries, claim: () => Effect.succeed(true), release: () => Effect.void })
    )
    yield* Layer.build(layerWithHealth("of-gauges", store))
    const gauges = Effect.zip(read("store_up", 'store="of-gauges"'), read("store_writable", 'store="of-gauges"'))
    assert.deepStrictEqual(yield* gauges, [1, 1])
    behaviour = "fails"
    assert.deepStrictEqual(yield* gauges, [0, 0])
    behaviour = "works"
    assert.deepStrictEqual(yield* gauges, [1, 1])

    behaviour = "hangs"
    reads = 0
    const two = yield* Effect.forkScoped(Effect.all([measureAll, measureAll], { concurrency: 2 }))
    yield* TestClock.adjust(0)
    yield* TestClock.adjust("199 millis")
    assert.strictEqual(two.unsafePoll(), null)
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(two)
    assert.strictEqual(reads, 1)
    assert.strictEqual((yield* samples("store_up"))['store="of-gauges"'], 0)
  })
})

describe("limits_shared", () => {
  it("is 0 as soon as the store cannot count, also if no units are taken, and 1 again", function* () {
    const { layer, state } = switchable(yield* inMemory)
    yield* sharing(layer, 2)
    assert.strictEqual(yield* read("limits_shared"), 1)
    state.unavailable = true
    assert.strictEqual(yield* read("limits_shared"), 0)
    state.unavailable = false
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* read("limits_shared"), 1)
  })

  it("does not keep readers waiting for a store that hangs, and is 0 once requests have timed out", function* () {
    const store = yield* inMemory
    let requests = 0
    const hanging = Layer.succeed(Store, {
      ...store,
      take: () =>
        Effect.suspend(() => {
          requests++
          return Effect.never
        })
    })
    const context = yield* sharing(hanging, 2)
    const reading = yield* Effect.forkScoped(Effect.zipRight(measureAll, measureAll))
    yield* TestClock.adjust(0)
    yield* TestClock.adjust("400 millis")
    yield* Fiber.join(reading)
    assert.strictEqual(requests, 1)
    yield* TestClock.adjust("1600 millis")
    assert.strictEqual(yield* read("limits_shared"), 0)
    const { quotas } = yield* Effect.provide(LimitSharing, context)
    assert.isTrue(quotas?.isFailing())
  })
})
