import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Memory from "../../src/storage/Memory.ts"
import { take } from "../../src/storage/quota/Quota.ts"
import { LimitSharing } from "../../src/storage/quota/SharedQuotas.ts"
import * as Redis from "../../src/storage/redis/Redis.ts"
import { Store, StoreError } from "../../src/storage/Store.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { redisServer } from "../support/redis.ts"
import { isAll } from "../support/tier.ts"
import { isMissing } from "../support/tools.ts"
import { finish } from "../support/upstream.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** The source of one process of `live`, which may have this many calls in progress together. */
const sourceOf = (max: number, live = () => 8, upstream = "node") =>
  Layer.build(Layer.fresh(Upstreams.layerStored)).pipe(
    Effect.map((context) => Context.get(context, Upstreams)),
    Effect.provideService(LimitSharing, { processes: live, live }),
    Effect.map(({ source }) => source(upstream, "one.example", { source: { start: max, max }, total: 100 }))
  )

type Source = Effect.Effect.Success<ReturnType<typeof sourceOf>>

/** A host that counts the calls in progress. */
const host = () => {
  const state = { inFlight: 0, most: 0, ended: 0 }
  const call = Effect.acquireUseRelease(
    Effect.sync(() => {
      state.most = Math.max(state.most, ++state.inFlight)
    }),
    () => Effect.sleep("100 millis"),
    () =>
      Effect.sync(() => {
        state.inFlight--
        state.ended++
      })
  )
  return { state, call }
}

/** Each source calls the host as often as it may. */
const calling = (sources: ReadonlyArray<Source>, call: Effect.Effect<void>, each = 10) =>
  Effect.forEach(
    sources.flatMap((source) => Array.from({ length: each }, () => source)),
    ({ calls }) => calls.withPermit(call, undefined, identity),
    { concurrency: "unbounded", discard: true }
  )

const shared = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.updateService(Store, (store) => ({ ...store, take: (taking) => Effect.succeed(take(taking, [], 0)) })),
    Effect.provide(Layer.fresh(Memory.layer()))
  )

const eight = (max: number, live?: () => number) => Effect.replicateEffect(sourceOf(max, live), 8)

describe("eight processes that may have fewer calls in progress than they are", () => {
  for (const max of [1, 4, 7])
    it.scoped(`have ${max} at once`, () =>
      Effect.gen(function* () {
        const { call, state } = host()
        const sources = yield* eight(max)
        const { took } = yield* finish(yield* Effect.fork(calling(sources, call)), 10)
        assert.deepStrictEqual([state.ended, state.most], [80, max])
        // Slots are not free for long: without any wait for them it takes this time.
        assert.isBelow(took, (2 * 80 * 100) / max)
      }).pipe(shared)
    )

  it.scoped("start no call without a slot, and give it back if a call is interrupted", () =>
    Effect.gen(function* () {
      const { call } = host()
      const [first, second] = yield* eight(1)
      assert.isUndefined(first?.calls.take({}))
      const fiber = yield* Effect.fork(calling([first as Source], Effect.never, 1))
      yield* TestClock.adjust("1 second")
      const other = yield* Effect.fork(calling([second as Source], call, 1))
      yield* TestClock.adjust("10 seconds")
      assert.isNull(other.unsafePoll())
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 second")
      assert.isNotNull(other.unsafePoll())
    }).pipe(shared)
  )

  it.scoped("get the slot of a process that has ended after half a minute", () =>
    Effect.gen(function* () {
      const { call } = host()
      const store = yield* Store
      yield* store.claim("slot node one.example 0", "ended", "30 seconds")
      const [first] = yield* eight(1)
      const fiber = yield* Effect.fork(calling([first as Source], call, 1))
      yield* TestClock.adjust("29 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust("2 seconds")
      assert.isNotNull(fiber.unsafePoll())
    }).pipe(shared)
  )

  it.scoped("have one each while the store fails, and wait for it once a second", () =>
    Effect.gen(function* () {
      const { call, state } = host()
      let claims = 0
      yield* Effect.gen(function* () {
        const sources = yield* eight(4)
        yield* finish(yield* Effect.fork(calling(sources, call)), 10)
        assert.deepStrictEqual([state.ended, state.most], [80, 8])
        assert.isAtMost(claims, 2 * 8)
      }).pipe(
        Effect.updateService(Store, (store) => ({
          ...store,
          claim: () =>
            Effect.suspend(() => {
              claims++
              return Effect.fail(new StoreError({ operation: "claim", cause: "away" }))
            })
        }))
      )
    }).pipe(shared)
  )

  it.scoped("release a slot that a slow store may have taken", () =>
    Effect.gen(function* () {
      const { call, state } = host()
      const released: Array<string> = []
      yield* Effect.gen(function* () {
        const [first] = yield* eight(1)
        const fiber = yield* Effect.fork(calling([first as Source], call, 1))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([state.ended, released], [0, []])
        yield* TestClock.adjust("1500 millis")
        assert.isNotNull(fiber.unsafePoll())
        assert.deepStrictEqual(released, ["slot node one.example 0"])
      }).pipe(
        Effect.updateService(Store, (store) => ({
          ...store,
          claim: () => Effect.never,
          release: (name) => Effect.sync(() => void released.push(name))
        }))
      )
    }).pipe(shared)
  )

  it.scoped("have less than one each after a host refused calls, and more again as it accepts them", () =>
    Effect.gen(function* () {
      const { call, state } = host()
      const sources = yield* eight(8)
      yield* finish(yield* Effect.fork(calling(sources, call, 2)), 10)
      assert.strictEqual(state.most, 8)
      const now = yield* TestClock.currentTimeMillis
      for (const { calls } of sources)
        calls.ended({ failure: "rate_limited", pause: 0, started: now, time: undefined }, now)
      state.most = 0
      yield* finish(yield* Effect.fork(calling(sources, call, 2)), 10)
      assert.strictEqual(state.most, 4)
      // Calls wait in each of them.
      const waiting = yield* Effect.fork(calling(sources, Effect.never, 2))
      yield* TestClock.adjust("1 second")
      for (let round = 1; round <= 8; round++)
        for (const { calls } of sources)
          calls.ended({ failure: undefined, pause: 0, started: now, time: 100 }, now + 2_000 * round)
      yield* Fiber.interrupt(waiting)
      state.most = 0
      yield* TestClock.adjust("1 second")
      yield* finish(yield* Effect.fork(calling(sources, call, 2)), 10)
      assert.strictEqual(state.most, 8)
    }).pipe(shared)
  )

  it.scoped("need no slots once fewer of them live", () =>
    Effect.gen(function* () {
      let live = 8
      const [first] = yield* eight(4, () => live)
      assert.isUndefined(first?.calls.take({}))
      live = 2
      first?.calls.ended({ failure: undefined, pause: 0, started: 0, time: undefined }, 0)
      assert.isDefined(first?.calls.take({}))
    }).pipe(shared)
  )
})

describe.skipIf(!isAll || isMissing("redis-server"))("eight processes with a Redis", () => {
  it.scopedLive("have four calls in progress at once", function* () {
    const { url } = yield* redisServer()
    const { call, state } = host()
    const store = Layer.fresh(Redis.layer(Redacted.make(url), { strict: true }))
    const sources = yield* Effect.replicateEffect(
      Effect.flatMap(Layer.build(store), (context) => Effect.provide(sourceOf(4), context)),
      8
    )
    yield* calling(sources, call)
    assert.deepStrictEqual([state.ended, state.most], [80, 4])
  })
})
