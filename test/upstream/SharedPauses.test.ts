import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Memory from "../../src/storage/Memory.ts"
import { take } from "../../src/storage/quota/Quota.ts"
import { LimitSharing } from "../../src/storage/quota/SharedQuotas.ts"
import { Store } from "../../src/storage/Store.ts"
import { limited } from "../../src/upstream/CircuitBreaker.ts"
import { leftOf } from "../../src/upstream/SharedPauses.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { assert, describe, it } from "../support/vitest.ts"

const limits = { source: { start: 8, max: 16 }, total: 100 }

/** The sources of one process of `live`. */
const processOf = (live: () => number) =>
  Layer.build(Layer.fresh(Upstreams.layerStored)).pipe(
    Effect.map((context) => Context.get(context, Upstreams)),
    Effect.provideService(LimitSharing, { processes: live, live })
  )

const shared = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.updateService(Store, (store) => ({ ...store, take: (taking) => Effect.succeed(take(taking, [], 0)) })),
    Effect.provide(Layer.fresh(Memory.layer()))
  )

/** How many calls of the service may be in progress now. */
const free = ({ calls }: ReturnType<Upstreams["Type"]["source"]>) => {
  const ends: Array<() => void> = []
  for (let end = calls.take(ends); end !== undefined; end = calls.take(ends)) ends.push(end)
  for (const end of ends) end()
  return ends.length
}

describe("processes that share a store", () => {
  it.scoped("all pause a host that demanded a pause of one of them", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.replicateEffect(
        processOf(() => 2),
        2
      )
      const [own, other] = [first, second].map((process) => process?.source("node", "one.example", limits))
      const apart = second?.source("node", "two.example", limits)
      yield* TestClock.adjust("2 seconds")
      own?.block.demand(600_000, 2_000, limited)
      own?.block.demand(500, 2_000, limited)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(other?.block.left(4_000), 598_000)
      assert.strictEqual(apart?.block.left(4_000), 0)
      // The others call less, too, once it is over.
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(other !== undefined && free(other) === 2)
    }).pipe(shared)
  )

  it("take no pause of a clock that is wrong, and none that is longer than a host can demand", () => {
    const [now, day] = [1e12, 86_400_000]
    assert.strictEqual(leftOf([now - 500, 2_000], now), 1_500)
    assert.strictEqual(leftOf([now + 30_000, 2_000], now), 2_000)
    for (const value of [
      [now + 3_600_000, 2_000],
      [now, day + 1],
      [now, 9e15],
      [now - 3_000, 2_000],
      9e15,
      [now, -1],
      [now, 1, 1],
      null
    ])
      assert.strictEqual(leftOf(value, now), 0)
  })

  it.scoped("divide the calls that may be in progress to a host", () =>
    Effect.gen(function* () {
      for (const [live, calls] of [
        [1, 8],
        [2, 4],
        [8, 1],
        // More processes than calls: they count their calls in the store.
        [40, 0]
      ] as const) {
        const process = yield* processOf(() => live)
        assert.strictEqual(free(process.source("node", "one.example", limits)), calls)
      }
      let live = 1
      const source = (yield* processOf(() => live)).source("node", "one.example", limits)
      live = 8
      source.calls.ended({ failure: undefined, pause: 0, started: 0, time: undefined }, 0)
      assert.strictEqual(free(source), 2)
    }).pipe(shared)
  )
})
