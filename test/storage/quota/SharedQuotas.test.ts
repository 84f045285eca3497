import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Redis from "../../../src/storage/redis/Redis.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import type { BudgetQueue, Limits } from "../../../src/upstream/budget/Budget.ts"
import { type Priority, priorities } from "../../../src/upstream/Priority.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { folder } from "../../support/process.ts"
import { redisServer } from "../../support/redis.ts"
import { external, frozenClock, simulated } from "../../support/simulated.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { call, granted } from "../../upstream/budgeting.ts"
import { sharing, switchable } from "./sharing.ts"

/** 100 calls that are not refilled while a test runs. */
const hundred: Limits = { source: "TESTER", perSecond: 0.001, burst: 100, maxWait: 0 }

/** The budget of a host in a new process. */
const processWith = Effect.fnUntraced(function* (store: Layer.Layer<Store, unknown>, limits = hundred, replicas = 1) {
  const context = yield* sharing(store, replicas)
  const upstreams = yield* Effect.provide(Layer.build(Layer.fresh(Upstreams.layerStored)), context)
  return yield* Effect.provide(
    Effect.flatMap(Upstreams, ({ budget }) => budget("one.example", limits)),
    upstreams
  )
})

/** The number of permitted calls when several processes make `calls` calls each at the same time. */
const together = (budgets: ReadonlyArray<BudgetQueue>, calls: number, priority?: Priority) =>
  Effect.map(
    Effect.forEach(
      budgets,
      (budget) => Effect.replicateEffect(call(budget, priority), calls, { concurrency: "unbounded" }),
      { concurrency: "unbounded" }
    ),
    (outcomes) => outcomes.flat().filter((outcome) => outcome === "ok").length
  )

const four = <A, E, R>(process: Effect.Effect<A, E, R>) => Effect.replicateEffect(process, 4)

const inFile = Effect.map(folder, (path) => Sqlite.layer(join(path, "store.sqlite")))
const inRedis = Effect.map(redisServer(), ({ url }) =>
  Layer.unwrapScoped(
    external(Layer.build(Redis.layer(Redacted.make(url), { strict: true }))).pipe(
      Effect.withClock(frozenClock(Date.now())),
      Effect.map((context) => {
        const store = Context.get(context, Store)
        const { take } = store
        return Layer.succeed(Store, take === undefined ? store : { ...store, take: (taking) => external(take(taking)) })
      })
    )
  )
)

const places: Readonly<Record<string, Effect.Effect<Layer.Layer<Store, unknown>, unknown, Scope.Scope>>> = {
  "a sqlite file": inFile,
  ...(isMissing("redis-server") ? {} : { redis: inRedis })
}

describe.each(Object.entries(places))("a budget of 100 calls that four processes share over %s", (_, place) => {
  /** Runs a test on a simulated clock, so that a slow response of the store does not count as a failure. */
  const over = Effect.fnUntraced(function* (
    body: (store: Layer.Layer<Store, unknown>) => Effect.Effect<void, unknown, Scope.Scope>
  ) {
    const store = yield* place
    const { outcome } = yield* simulated(Date.now()).finish(body(store))
    yield* outcome
  })

  it.scoped("permits 100 calls in total, by any process", () =>
    over((store) =>
      Effect.gen(function* () {
        const budgets = yield* four(processWith(store))
        assert.strictEqual(yield* together(budgets, 100), 100)
        // A process that starts later gets no calls either.
        assert.strictEqual(yield* together([yield* processWith(store)], 10), 0)
      })
    )
  )

  it.scoped("permits 100 calls in total also if each process makes its calls one by one", () =>
    over((store) =>
      Effect.gen(function* () {
        const budgets = yield* four(processWith(store))
        const counts = yield* Effect.forEach(budgets, (budget) => granted(budget, 100), { concurrency: "unbounded" })
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          100
        )
      })
    )
  )
})

/** A store that processes share like a file, on the clock of the test. */
const oneStore = Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(":memory:"))), (context) =>
  Effect.map(Effect.provide(Store, context), switchable)
)

describe("a quota in one of several processes", () => {
  it.scoped("permits its share while the store is unavailable, and logs it", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const { layer, state } = yield* oneStore
      const budgets = yield* four(processWith(layer, hundred, 4))
      state.unavailable = true
      assert.strictEqual(yield* together(budgets, 100), 100)
      assert.strictEqual(lines.filter((line) => line.includes("with 1/4 of each limit")).length, 4)
      const requests = state.requests
      assert.strictEqual(yield* together(budgets, 100), 0)
      assert.strictEqual(state.requests, requests)
      state.unavailable = false
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(lines.filter((line) => line.includes("apply across all processes again")).length, 4)
      // Calls during the outage are not added.
      assert.strictEqual(yield* together(budgets, 100), 100)
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })

  it("takes no units twice from a store that responds late", function* () {
    const { layer } = yield* oneStore
    const store = yield* Effect.provide(Store, layer)
    const late = Layer.succeed(Store, {
      ...store,
      take: (taking) => Effect.zipLeft(store.take?.(taking) ?? Effect.die("cannot share"), Effect.sleep(2_500))
    })
    const budget = yield* processWith(late, { ...hundred, maxWait: 10_000 })
    const calls = yield* Effect.fork(together([budget], 10))
    yield* TestClock.adjust("20 seconds")
    // Each call got a permit, from the share of this process.
    assert.strictEqual(yield* calls, 10)
    assert.strictEqual(yield* together([yield* processWith(layer)], 100), 90)
  })

  it("remembers the used units if the store has lost them", function* () {
    const { layer: before } = yield* oneStore
    const store = yield* Effect.provide(Store, before)
    const { take: takeOfOther } = yield* Effect.provide(Store, (yield* oneStore).layer)
    let { take } = store
    const replaced: typeof store = {
      ...store,
      take: (taking) => Effect.suspend(() => take?.(taking) ?? Effect.die("cannot share"))
    }
    const budget = yield* processWith(Layer.succeed(Store, replaced))
    assert.strictEqual(yield* together([budget], 60), 60)
    take = takeOfOther
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* together([budget], 100), 40)
  })

  it("leaves the reserve of a low priority to other calls", function* () {
    const { layer } = yield* oneStore
    const budgets = yield* four(processWith(layer))
    assert.strictEqual(yield* together(budgets, 100, { ...priorities.history, maxWait: 0 }), 85)
    assert.strictEqual(yield* together(budgets, 100), 15)
  })

  it("makes calls wait for a permit among all processes", function* () {
    const { layer } = yield* oneStore
    const budgets = yield* four(processWith(layer, { source: "TESTER", perSecond: 10, burst: 1, maxWait: 1_000 }))
    const fiber = yield* Effect.fork(together(budgets, 10))
    for (let time = 0; time < 40; time++) yield* TestClock.adjust(100)
    // One call immediately, and one per 100 ms.
    assert.strictEqual(yield* fiber, 11)
  })
})
