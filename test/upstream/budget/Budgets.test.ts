import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { measureAll } from "../../../src/kernel/counters.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { type Entries, Store, StoreError } from "../../../src/storage/Store.ts"
import type { Limits } from "../../../src/upstream/budget/Budget.ts"
import { priorities } from "../../../src/upstream/Priority.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { json, simulatedClient } from "../../support/http.ts"
import { firstUrl, make, secondUrl } from "../../support/upstream.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import { call, day, granted, slowLimits } from "../budgeting.ts"

const host = (name: string, limits: Limits = slowLimits) =>
  Effect.flatMap(Upstreams, ({ budget }) => budget(name, limits))

/** Runs the effect in a new process over the same store. */
const inNewProcess = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(body, Layer.fresh(Upstreams.layerStored)))

/** How many of these calls got a permit. */
const permitted = (calls: number, name = "one.example", limits: Limits = slowLimits) =>
  Effect.flatMap(host(name, limits), (budget) => granted(budget, calls))

const stored = Effect.map(Store, (store) => store.open("budgets", 1))

const test = (name: string, body: () => Body<Store>) =>
  it.effect(name, () => Effect.provide(effectOf(body()), Layer.fresh(Memory.layer())))

const changed = (change: (entries: Entries) => Partial<Entries>) =>
  Effect.updateService(Store, (store) => ({
    ...store,
    open: (name, version) => ({ ...store.open(name, version), ...change(store.open(name, version)) })
  }))

/** The gauges of a source. */
const gauges = (source: string) =>
  Effect.map(Effect.zipRight(measureAll, Metric.snapshot), (metrics) => {
    const found: Record<string, number> = {}
    for (const { metricKey, metricState } of metrics) {
      const ours = [...metricKey.tags].some(({ key, value }) => key === "source" && value === source)
      if (!ours || !MetricState.isGaugeState(metricState)) continue
      assert.strictEqual([...metricKey.tags].length, 1)
      found[metricKey.name.replace("upstream_budget_", "")] = Number(metricState.value)
    }
    return found
  })

describe("budgets across a restart", () => {
  test("continue separately for each host", function* () {
    assert.strictEqual(yield* inNewProcess(permitted(2)), 2)
    assert.strictEqual(yield* inNewProcess(permitted(2)), 1)
    assert.strictEqual(yield* inNewProcess(permitted(2)), 0)
    assert.strictEqual(yield* inNewProcess(permitted(4, "two.example")), 3)
    yield* TestClock.adjust("1000 seconds")
    assert.strictEqual(yield* inNewProcess(permitted(2)), 1)
  })

  test("continue for the month too", function* () {
    const limits = { ...slowLimits, perSecond: 100, burst: 100, perMonth: 5 * 62 }
    assert.strictEqual(yield* inNewProcess(permitted(4, "one.example", limits)), 4)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* inNewProcess(permitted(4, "one.example", limits)), 1)
    // A larger plan: the calls under the smaller plan still count.
    assert.strictEqual(yield* inNewProcess(permitted(20, "one.example", { ...limits, perMonth: 10 * 62 })), 5)
  })

  test("continue to count in the same month, and restart in another month", function* () {
    const counted = permitted(1).pipe(Effect.zipRight(gauges("tester")), inNewProcess)
    yield* TestClock.setTime(Date.parse("2026-11-11"))
    assert.deepInclude(yield* counted, { month_used: 1 })
    yield* TestClock.setTime(Date.parse("2026-11-21"))
    assert.deepInclude(yield* counted, { month_used: 2, month_forecast: 4 })
    // The count covers the whole month so far.
    yield* TestClock.setTime(Date.parse("2026-12-02"))
    assert.deepInclude(yield* counted, { month_used: 1, month_forecast: 31 })
  })

  test("are not blocked by a stored time in the future after the clock was set back", function* () {
    yield* TestClock.setTime(400 * day)
    assert.strictEqual(yield* inNewProcess(permitted(4)), 3)
    yield* TestClock.setTime(day)
    assert.strictEqual(yield* inNewProcess(permitted(4)), 0)
    yield* TestClock.adjust("1000 seconds")
    assert.strictEqual(yield* inNewProcess(permitted(4)), 1)
  })

  test("start again if the stored value cannot be read", function* () {
    yield* (yield* stored).setMany(new Map([["TESTER one.example", { at: 0, value: { second: 3 } }]]), "1 day")
    assert.strictEqual(yield* inNewProcess(permitted(4)), 3)
  })

  test("are stored when the process is interrupted, including its last calls", function* () {
    const fiber = yield* Effect.fork(inNewProcess(Effect.zipRight(permitted(3), Effect.never)))
    yield* Effect.yieldNow()
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(yield* inNewProcess(permitted(3)), 0)
  })
})

describe("the stored budgets", () => {
  const writes: Array<ReadonlyArray<string>> = []
  const noting = changed(({ setMany }) => ({
    setMany: (entries, time) =>
      Effect.zipRight(
        Effect.sync(() => writes.push([...entries.keys()])),
        setMany(entries, time)
      )
  }))

  test("are written once for the calls of a second, and not again without calls", () =>
    Effect.gen(function* () {
      writes.length = 0
      yield* inNewProcess(
        Effect.gen(function* () {
          yield* permitted(2)
          yield* permitted(2, "two.example")
          yield* TestClock.adjust(999)
          assert.deepStrictEqual(writes, [])
          yield* TestClock.adjust(1)
          assert.deepStrictEqual(writes, [["TESTER one.example", "TESTER two.example"]])
          yield* TestClock.adjust("1 hour")
          assert.strictEqual(writes.length, 1)
          yield* permitted(1)
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(writes.slice(1), [["TESTER one.example"]])
        })
      )
      assert.strictEqual(writes.length, 2)
    }).pipe(noting))

  test("are shared by hosts that share a rate limit", () =>
    Effect.gen(function* () {
      writes.length = 0
      const outside = simulatedClient(() => json({}))
      yield* inNewProcess(
        Effect.gen(function* () {
          const rate = {
            source: "TESTER",
            keyless: { perSecond: 0.001, burst: 2, maxWait: 0 },
            countedAt: "one.example"
          }
          const [first, second] = yield* Effect.all([make([firstUrl], { rate }), make([secondUrl], { rate })])
          const read = (upstream: typeof first) =>
            Effect.either(upstream.read(HttpClientRequest.get("/"), Schema.Struct({})))
          const outcomes = yield* Effect.all([read(first), read(second), read(first), read(second)])
          assert.deepStrictEqual(outcomes.map(Either.isRight), [true, true, false, false])
        })
      ).pipe(Effect.provide(Layer.merge(outside.layer, Settings.layer({}))))
      assert.deepStrictEqual(writes, [["TESTER one.example"]])
    }).pipe(noting))

  test("contain no key and no path of an address", () =>
    Effect.gen(function* () {
      writes.length = 0
      const outside = simulatedClient(() => json({}))
      yield* inNewProcess(
        Effect.gen(function* () {
          const upstream = yield* make(["https://name:secret@one.example:8443/secret?key=secret"], {
            rate: { source: "TESTER", keyless: { perSecond: 1, burst: 1 } }
          })
          yield* upstream.over((address) => address.fault({ reason: "bad_answer", detail: "" })).pipe(Effect.flip)
          yield* Effect.flatMap(host("one.example:8443"), call)
        })
      ).pipe(Effect.provide(Layer.merge(outside.layer, Settings.layer({}))))
      assert.deepStrictEqual(writes, [["TESTER one.example:8443"]])
    }).pipe(noting))
})

describe("budgets over a store", () => {
  const error = (operation: StoreError["operation"]) => new StoreError({ operation, cause: new Error("disk full") })
  const broken = {
    fails: changed(() => ({
      getMany: () => Effect.fail(error("getMany")),
      setMany: () => Effect.fail(error("setMany"))
    })),
    dies: changed(() => ({ getMany: () => Effect.dieMessage("bug"), setMany: () => Effect.dieMessage("bug") })),
    hangs: changed(() => ({ getMany: () => Effect.never, setMany: () => Effect.never }))
  }
  for (const [how, breaking] of Object.entries(broken))
    test(`that ${how} still work, with a log line per read or write`, () => {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel }) => void logged.push(logLevel.label))
      return Effect.gen(function* () {
        const fiber = yield* Effect.fork(inNewProcess(Effect.zipLeft(permitted(4), TestClock.adjust("2 seconds"))))
        yield* TestClock.adjust("250 millis")
        assert.strictEqual(yield* Fiber.join(fiber), 3)
        assert.deepStrictEqual(logged, ["WARN", "WARN"])
        // The last write, at the end of the process, has the same time limit.
        const end = yield* Effect.fork(inNewProcess(permitted(1)))
        yield* TestClock.adjust("500 millis")
        assert.strictEqual(yield* Fiber.join(end), 1)
      }).pipe(breaking, Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    })
})

describe("the budgets of a source", () => {
  test("have gauges with the sums over all hosts", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-01"))
    const limits = { ...slowLimits, source: "TWO_HOSTS", burst: 5, perMonth: 620 }
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permitted(3, "a", limits), 3)
      assert.strictEqual(yield* permitted(7, "b", limits), 5)
      yield* permitted(1, "c", { ...slowLimits, source: "UNLIMITED" })
      assert.deepInclude(yield* gauges("two_hosts"), { left: 2 })
      yield* TestClock.setTime(Date.parse("2026-11-16"))
      assert.deepStrictEqual(yield* gauges("two_hosts"), {
        left: 10,
        month_limit: 1_240,
        per_hour: 1,
        month_used: 8,
        month_forecast: 16
      })
      assert.deepStrictEqual(yield* gauges("unlimited"), { left: 3, per_hour: 3, month_used: 1, month_forecast: 2 })
    }).pipe(inNewProcess)
  })

  it.effect("have no gauges if calls are not limited", () =>
    Effect.gen(function* () {
      const budget = yield* host("one.example", { ...slowLimits, source: "SIMULATED" })
      assert.strictEqual(yield* granted(budget, 100, priorities.chartRefresh), 100)
      assert.strictEqual(budget.wait(0, priorities.chartRefresh), 0)
      assert.deepStrictEqual(yield* gauges("simulated"), {})
    }).pipe(Effect.provide(Upstreams.layerUnlimited))
  )

  it.effect("use the first limits that are given for a host, for all clients", () =>
    Effect.gen(function* () {
      const first = yield* host("one.example", { ...slowLimits, source: "ONE" })
      const second = yield* host("one.example", { ...slowLimits, source: "ONE", burst: 100 })
      assert.strictEqual(yield* granted(first, 2), 2)
      assert.strictEqual(yield* granted(second, 2), 1)
    }).pipe(Effect.provide(Layer.fresh(Upstreams.layer)))
  )

  it.effect("are separate from those of another source behind the same gateway", () =>
    Effect.gen(function* () {
      const first = yield* host("gateway.example", { ...slowLimits, source: "ONE" })
      const second = yield* host("gateway.example", { ...slowLimits, source: "OTHER", burst: 5 })
      assert.strictEqual(yield* granted(first, 10), 3)
      assert.strictEqual(yield* granted(second, 10), 5)
    }).pipe(Effect.provide(Layer.fresh(Upstreams.layer)))
  )
})

describe("the budget of CoinGecko", () => {
  const plans = [
    { with: "no key", set: {}, perSecond: "0.45", perMonth: "10000" },
    { with: "a demo key", set: { COINGECKO_API_KEY: "k" }, perSecond: "0.45", perMonth: "10000" },
    {
      with: "a pro key",
      set: { COINGECKO_API_KEY: "k", COINGECKO_URL: "https://pro-api.coingecko.com/api/v3" },
      perSecond: "4",
      perMonth: "100000"
    },
    {
      with: "a monthly limit set by the operator",
      set: { COINGECKO_PER_MONTH: "500000" },
      perSecond: "0.45",
      perMonth: "500000"
    }
  ]
  for (const { perMonth, perSecond, set, ...plan } of plans)
    it(`has the limits of the plan with ${plan.with}`, function* () {
      const settings = yield* Layer.build(Settings.layer(set))
      const around = Layer.mergeAll(simulatedClient(() => json({})).layer, Layer.fresh(Upstreams.layer))
      yield* Layer.build(Layer.provide(CoinGecko.layer, around)).pipe(Effect.provide(settings))
      const declared = yield* Effect.flatMap(Settings, ({ declared }) => declared).pipe(Effect.provide(settings))
      const value = (name: string) => declared.find((variable) => variable.name === name)?.value
      assert.deepStrictEqual([value("COINGECKO_PER_SECOND"), value("COINGECKO_PER_MONTH")], [perSecond, perMonth])
    })
})
