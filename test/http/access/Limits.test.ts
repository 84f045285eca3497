import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Allowances from "../../../src/http/access/Allowances.ts"
import type { Identity } from "../../../src/http/access/Identity.ts"
import * as Limits from "../../../src/http/access/Limits.ts"
import { LimitSharing } from "../../../src/storage/quota/SharedQuotas.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import { sharing, switchable } from "../../storage/quota/sharing.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const day = 86_400_000

const oneStore = Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(":memory:"))), (context) =>
  Effect.map(Effect.provide(Store, context), switchable)
)

/** The limits in one of four processes. */
const limitsOver = (store: Layer.Layer<Store>, perMinute = 0) =>
  Effect.flatMap(sharing(store, 4), (context) =>
    Effect.provide(
      Effect.map(LimitSharing, (sharing) => Limits.make({ perMinute, ...sharing })),
      context
    )
  )

type ProcessLimits = ReturnType<typeof Limits.make>

const without = (client: string): Identity => ({
  given: undefined,
  key: () => undefined,
  address: () => client,
  client: () => client
})

/** A client whose key has a daily quota. */
const keyed = (perDay: number): Identity => ({
  ...without("key holder"),
  given: "k",
  key: () => ({ name: "holder", hash: "", perDay, perMinute: 0, allows: () => true })
})

const a = without("a")

/** Seconds until the requests are accepted; 0 if they are accepted now. */
const take = (limits: ProcessLimits, identity: Identity = a, calls = 1) =>
  Effect.flatMap(Effect.clock, (clock) => {
    const now = clock.unsafeCurrentTimeMillis()
    const refused = calls === 1 ? limits.take(identity, now) : limits.takeRest(identity, now, calls)
    return Effect.map(Effect.isEffect(refused) ? refused : Effect.succeed(refused), (found) => found?.seconds ?? 0)
  })

/** Number of accepted requests when all processes receive `each` requests at the same time. */
const accepted = (processes: ReadonlyArray<ProcessLimits>, each: number, identity: Identity = a) =>
  Effect.map(
    Effect.forEach(
      processes,
      (limits) => Effect.replicateEffect(take(limits, identity), each, { concurrency: "unbounded" }),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat().filter((seconds) => seconds === 0).length
  )

describe("the rate limit of a single process", () => {
  const perMinute = (limit: number) => {
    const limits = Limits.make({ perMinute: limit, processes: () => 1 })
    return {
      take: (now: number, client = "a") => secondsOf(limits.take(without(client), now)),
      takeRest: (now: number, calls: number) => secondsOf(limits.takeRest(a, now, calls))
    }
  }
  const secondsOf = (refused: ReturnType<ProcessLimits["take"]>) =>
    Effect.isEffect(refused) ? assert.fail("the store must not be used") : (refused?.seconds ?? 0)

  it("does not stop a client for longer if the clock is set back by a few seconds", () => {
    const { take } = perMinute(60)
    for (let call = 0; call < 60; call++) take(100_000)
    assert.strictEqual(take(95_000), 1)
    assert.strictEqual(take(96_000), 0)
  })

  it("evicts the clients with the most left, so that no client gains by forcing evictions", () => {
    const { take } = Allowances.make(() => 1, undefined, 16)
    const two = { name: "rate", capacity: 2, interval: 30_000, lease: 1 }
    assert.deepStrictEqual([take("used up", two, 0, 1), take("used up", two, 0, 1)], [0, 0])
    for (let other = 0; other < 1000; other++) assert.strictEqual(take(`other ${other}`, two, 0, 1), 0)
    assert.strictEqual(take("used up", two, 0, 1), 30_000)
  })

  it("evicts idle clients first", () => {
    const { take } = Allowances.make(() => 1, undefined, 2)
    const one = { name: "rate", capacity: 1, interval: 60_000, lease: 1 }
    assert.strictEqual(take("idle", one, 0, 1), 0)
    assert.strictEqual(take("busy", one, 60_000, 1), 0)
    assert.strictEqual(take("new", one, 60_000, 1), 0)
    assert.strictEqual(take("busy", one, 60_000, 1), 60_000)
  })

  it("counts each call of a batch as a request", () => {
    const { take, takeRest } = perMinute(60)
    assert.strictEqual(take(0), 0)
    assert.strictEqual(takeRest(0, 49), 0)
    for (let call = 0; call < 10; call++) assert.strictEqual(take(0), 0)
    assert.strictEqual(take(0), 1)
  })

  it("refuses a batch as a whole, and returns the time after which it is accepted", () => {
    const { take, takeRest } = perMinute(60)
    for (let call = 0; call < 31; call++) assert.strictEqual(take(0), 0)
    assert.strictEqual(takeRest(0, 39), 11)
    assert.strictEqual(take(11_000), 0)
    assert.strictEqual(takeRest(11_000, 39), 0)
  })

  it("accepts a batch above the limit if nothing is used, and charges the excess to later requests", () => {
    const { take, takeRest } = perMinute(60)
    assert.strictEqual(take(0), 0)
    assert.strictEqual(takeRest(0, 99), 0)
    assert.strictEqual(take(40_000), 1)
    assert.strictEqual(take(41_000), 0)
  })

  it("never exceeds the limit over a longer time, for any order of requests", () => {
    const step = FastCheck.record({
      after: FastCheck.integer({ min: 0, max: 30_000 }),
      calls: FastCheck.integer({ min: 1, max: 200 })
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 100 }), FastCheck.array(step), (limit, steps) => {
        const { take, takeRest } = perMinute(limit)
        let now = 0
        let granted = 0
        let largest = 0
        for (const { after, calls } of steps) {
          now += after
          if (take(now) > 0) continue
          granted++
          if (calls > 1 && takeRest(now, calls - 1) === 0) {
            granted += calls - 1
            largest = Math.max(largest, calls)
          }
        }
        // One batch may exceed the limit of a minute; later requests pay back the excess.
        assert.isAtMost(granted, limit * (1 + now / 60_000) + Math.max(0, largest - limit) + 1e-6)
      }),
      { numRuns: 200 }
    )
  })
})

describe("the rate limit of a client across several processes", () => {
  it("is a single limit, which refills over time", function* () {
    const { layer } = yield* oneStore
    const processes = yield* Effect.replicateEffect(limitsOver(layer, 60), 4)
    assert.strictEqual(yield* accepted(processes, 60), 60)
    assert.strictEqual(yield* accepted(processes, 10, without("b")), 40)
    const [first] = processes as [ProcessLimits]
    assert.isAtLeast(yield* take(first), 1)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* accepted(processes, 60), 10)
  })

  it("takes a tenth of the limit from the store per store request, and makes none once it is over the limit", function* () {
    const { layer, state } = yield* oneStore
    const limits = yield* limitsOver(layer, 600)
    const counts: Array<number> = []
    for (let request = 0; request < 700; request++) counts.push(yield* take(limits))
    assert.strictEqual(counts.filter((seconds) => seconds === 0).length, 600)
    assert.strictEqual(state.requests, 10)
  })

  it("counts each call of a batch, and charges the excess of a batch above the limit to later requests", function* () {
    const { layer } = yield* oneStore
    const [first, second] = [yield* limitsOver(layer, 60), yield* limitsOver(layer, 60)]
    assert.strictEqual(yield* take(first), 0)
    assert.strictEqual(yield* take(first, a, 99), 0)
    assert.strictEqual(yield* take(second), 41)
    assert.strictEqual(yield* take(second, a, 10), 51)
    yield* TestClock.adjust("41 seconds")
    assert.strictEqual(yield* take(second), 0)
  })

  it("keeps working when the clock is set back", function* () {
    const { layer } = yield* oneStore
    const limits = yield* limitsOver(layer, 60)
    yield* TestClock.setTime(3_600_000)
    assert.strictEqual(yield* accepted([limits], 70), 60)
    yield* TestClock.setTime(1_000)
    assert.isAtLeast(yield* take(limits), 1)
    // From here on it refills by the new time, in the store too.
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* accepted([limits], 5), 0)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* accepted([limits], 60), 10)
  })

  it("is split among the processes while the store is unavailable", function* () {
    const { layer, state } = yield* oneStore
    const processes = yield* Effect.replicateEffect(limitsOver(layer, 60), 4)
    state.unavailable = true
    assert.strictEqual(yield* accepted(processes, 60), 60)
    assert.isAtLeast(yield* take((processes as [ProcessLimits])[0]), 1)
  })

  it("stores no key and no address", function* () {
    const { layer } = yield* oneStore
    const names: Array<string> = []
    const store = yield* Effect.provide(Store, layer)
    const noting = Layer.succeed(Store, {
      ...store,
      take: (taking) => {
        names.push(...taking.buckets.map(({ name }) => name))
        return store.take?.(taking) ?? Effect.dieMessage("cannot share")
      }
    })
    yield* take(yield* limitsOver(noting, 60), without("key whispered"))
    assert.isNotEmpty(names)
    assert.notInclude(names.join(), "whispered")
  })
})

describe("the daily quota of a key", () => {
  const holder = keyed(100)

  it("is shared by all processes, survives restarts, and resets on the next day", function* () {
    yield* TestClock.setTime(20_000 * day + day - 60_000)
    const { layer } = yield* oneStore
    const processes = yield* Effect.replicateEffect(limitsOver(layer), 4)
    assert.strictEqual(yield* accepted(processes, 10, holder), 40)
    const later = yield* Effect.replicateEffect(limitsOver(layer), 2)
    assert.strictEqual(yield* accepted(later, 50, holder), 60)
    yield* TestClock.adjust("3 seconds")
    const [first, second] = later as [ProcessLimits, ProcessLimits]
    assert.strictEqual(yield* take(first, holder), 57)
    // Requests that were counted still count under a higher limit.
    assert.strictEqual(yield* take(second, keyed(101)), 0)
    assert.strictEqual(yield* take(second, keyed(101)), 57)
    yield* TestClock.adjust("57 seconds")
    assert.strictEqual(yield* accepted(later, 60, holder), 100)
  })

  it("is not given again by a clock that goes forward and back, also without a store", function* () {
    const noon = 20_000 * day + day / 2
    yield* TestClock.setTime(noon)
    const alone = Limits.make({ perMinute: 0, processes: () => 1 })
    const used = (calls: number) =>
      Effect.map(
        Effect.replicateEffect(take(alone, keyed(20)), calls),
        (waits) => waits.filter((wait) => wait === 0).length
      )
    assert.strictEqual(yield* used(17), 17)
    for (const days of [1, 3]) {
      yield* TestClock.setTime(noon + days * day)
      assert.strictEqual(yield* used(1), 1)
      yield* TestClock.setTime(noon)
      assert.strictEqual(yield* used(2), days === 1 ? 2 : 1)
    }
  })

  it("is exact if the store is slow, or a process gets little CPU time", function* () {
    const { layer } = yield* oneStore
    const { take: takeAtOnce, ...store } = yield* Effect.provide(Store, layer)
    const slow = Layer.succeed(Store, {
      ...store,
      take: (taking) => Effect.delay(takeAtOnce?.(taking) ?? Effect.dieMessage("cannot share"), "500 millis")
    })
    const found: Array<number> = []
    for (const limits of [yield* limitsOver(slow), yield* limitsOver(slow)]) {
      const fiber = yield* Effect.fork(accepted([limits], 90, holder))
      while ((yield* Fiber.poll(fiber))._tag === "None") yield* TestClock.adjust("100 millis")
      found.push(yield* Fiber.join(fiber))
    }
    assert.deepStrictEqual(found, [90, 10])
  })

  it("refuses without a store request once the store has reported it as used up", function* () {
    const { layer, state } = yield* oneStore
    const limits = yield* limitsOver(layer)
    assert.strictEqual(yield* accepted([limits], 110, holder), 100)
    const before = state.requests
    assert.strictEqual(yield* accepted([limits], 20, holder), 0)
    assert.strictEqual(state.requests, before)
  })

  it("accepts several calls together or not at all", function* () {
    const { layer } = yield* oneStore
    const [first, second] = [yield* limitsOver(layer), yield* limitsOver(layer)]
    assert.strictEqual(yield* take(first, holder, 60), 0)
    assert.isAbove(yield* take(second, holder, 60), 0)
    assert.strictEqual(yield* take(second, holder, 40), 0)
    assert.isAbove(yield* take(first, holder), 0)
  })

  it("has its remainder split among the processes while the store is unavailable", function* () {
    const { layer, state } = yield* oneStore
    const processes = yield* Effect.replicateEffect(limitsOver(layer), 4)
    const [first, second] = processes as [ProcessLimits, ProcessLimits]
    assert.strictEqual(yield* take(first, holder, 90), 0)
    state.unavailable = true
    // This process knows of the 90 requests; the other processes get a quarter of the quota each.
    assert.strictEqual(yield* accepted([first], 40, holder), 10)
    assert.strictEqual(yield* accepted([second], 40, holder), 25)
    state.unavailable = false
    yield* TestClock.adjust("5 seconds")
    // Requests during the outage are not added.
    assert.strictEqual(yield* accepted(processes, 10, holder), 10)
  })
})
