import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as SharedRateLimit from "../../../src/http/access/SharedRateLimit.ts"
import { LimitSharing } from "../../../src/storage/quota/SharedQuotas.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import { sharing, switchable } from "../../storage/quota/sharing.ts"

const oneStore = Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(":memory:"))), (context) =>
  Effect.map(Effect.provide(Store, context), switchable)
)

/** The limit in a process of its own. */
const limiterOver = (store: Layer.Layer<Store>, perMinute: number, replicas = 4) =>
  Effect.flatMap(sharing(store, replicas), (context) =>
    Effect.provide(
      Effect.flatMap(LimitSharing, ({ processes, quotas }) =>
        quotas === undefined
          ? Effect.dieMessage("the store cannot share")
          : Effect.succeed(SharedRateLimit.make(perMinute, quotas, processes))
      ),
      context
    )
  )

type Limiter = Effect.Effect.Success<ReturnType<typeof limiterOver>>

const settled = (seconds: number | Effect.Effect<number>) =>
  typeof seconds === "number" ? Effect.succeed(seconds) : seconds

const take = ({ take }: Limiter, client = "a") =>
  Effect.flatMap(Effect.clock, (clock) => settled(take(client, clock.unsafeCurrentTimeMillis())))

/** How many of these requests are accepted, at once in all processes. */
const accepted = (limiters: ReadonlyArray<Limiter>, each: number, client?: string) =>
  Effect.map(
    Effect.forEach(
      limiters,
      (limiter) => Effect.replicateEffect(take(limiter, client), each, { concurrency: "unbounded" }),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat().filter((seconds) => seconds === 0).length
  )

describe("the rate limit of a client over several processes", () => {
  it.scoped("is one limit, which refills as time passes", () =>
    Effect.gen(function* () {
      const { layer } = yield* oneStore
      const limiters = yield* Effect.replicateEffect(limiterOver(layer, 60), 4)
      assert.strictEqual(yield* accepted(limiters, 60), 60)
      assert.strictEqual(yield* accepted(limiters, 10, "another client"), 40)
      const [first] = limiters
      assert.isDefined(first)
      if (first !== undefined) assert.isAtLeast(yield* take(first), 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* accepted(limiters, 60), 10)
    })
  )

  it.scoped("waits for nothing while requests are leased, or known to be too many", () =>
    Effect.gen(function* () {
      const { layer, state } = yield* oneStore
      const limiter = yield* limiterOver(layer, 600)
      for (let request = 0; request < 40; request++) yield* take(limiter)
      const before = state.requests
      let immediate = 0
      for (let request = 0; request < 600; request++) {
        const seconds = limiter.take("a", 0)
        if (typeof seconds === "number") immediate++
        else yield* seconds
      }
      // The rest was leased in a few steps, and what is beyond it is refused here.
      assert.isAbove(immediate, 580)
      assert.isBelow(state.requests - before, 20)
      assert.strictEqual(yield* accepted([limiter], 50), 0)
    })
  )

  it.scoped("counts the calls of a batch, which may owe what is beyond the limit", () =>
    Effect.gen(function* () {
      const { layer } = yield* oneStore
      const [first, second] = [yield* limiterOver(layer, 60), yield* limiterOver(layer, 60)]
      assert.strictEqual(yield* take(first), 0)
      assert.strictEqual(yield* settled(first.takeRest("a", 0, 99)), 0)
      assert.strictEqual(yield* take(second), 41)
      assert.strictEqual(yield* settled(second.takeRest("a", 0, 10)), 51)
      yield* TestClock.adjust("41 seconds")
      assert.strictEqual(yield* take(second), 0)
    })
  )

  it.scoped("goes on when the clock is set back", () =>
    Effect.gen(function* () {
      const { layer } = yield* oneStore
      const limiter = yield* limiterOver(layer, 60)
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(yield* accepted([limiter], 70), 60)
      yield* TestClock.setTime(1_000)
      assert.isAtLeast(yield* take(limiter), 1)
      // From then on it refills by the new time, in the store too.
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* accepted([limiter], 5), 0)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* accepted([limiter], 60), 10)
    })
  )

  it.scoped("is a share of it while the store is away", () =>
    Effect.gen(function* () {
      const { layer, state } = yield* oneStore
      const limiters = yield* Effect.replicateEffect(limiterOver(layer, 60), 4)
      state.away = true
      assert.strictEqual(yield* accepted(limiters, 60), 60)
      assert.isAtLeast(yield* take(limiters[0] as Limiter), 1)
    })
  )

  it.scoped("leaves no key and no address in the store", () =>
    Effect.gen(function* () {
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
      yield* take(yield* limiterOver(noting, 60), "key whispered")
      assert.isNotEmpty(names)
      assert.notInclude(names.join(), "whispered")
    })
  )
})
