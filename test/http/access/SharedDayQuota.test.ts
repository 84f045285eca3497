import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { day } from "../../../src/http/access/DayQuota.ts"
import * as SharedDayQuota from "../../../src/http/access/SharedDayQuota.ts"
import { LimitSharing } from "../../../src/storage/quota/SharedQuotas.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { Store } from "../../../src/storage/Store.ts"
import { sharing, switchable } from "../../storage/quota/sharing.ts"

const oneStore = Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(":memory:"))), (context) =>
  Effect.map(Effect.provide(Store, context), switchable)
)

/** The quotas in one of four processes. */
const quotasOver = (store: Layer.Layer<Store>) =>
  Effect.flatMap(sharing(store, 4), (context) =>
    Effect.provide(
      Effect.flatMap(LimitSharing, ({ processes, quotas }) =>
        quotas === undefined
          ? Effect.dieMessage("the store cannot share")
          : Effect.succeed(SharedDayQuota.make(quotas, processes))
      ),
      context
    )
  )

type Quotas = Effect.Effect.Success<ReturnType<typeof quotasOver>>

const take = (quotas: Quotas, calls = 1, perDay = 100) =>
  Effect.flatMap(Effect.clock, (clock) => {
    const seconds = quotas.take("key", perDay, clock.unsafeCurrentTimeMillis(), calls)
    return typeof seconds === "number" ? Effect.succeed(seconds) : seconds
  })

const used = (quotas: Quotas) =>
  Effect.map(Effect.clock, (clock) => quotas.used("key", clock.unsafeCurrentTimeMillis()))

/** How many of so many requests to each process are accepted. */
const accepted = (processes: ReadonlyArray<Quotas>, each: number) =>
  Effect.map(
    Effect.forEach(processes, (quotas) => Effect.replicateEffect(take(quotas), each, { concurrency: "unbounded" }), {
      concurrency: "unbounded"
    }),
    (all) => all.flat().filter((seconds) => seconds === 0).length
  )

describe("the quota of a key for a day", () => {
  it.scoped("is one over several processes and their restarts, and new on the next day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(20_000 * day + day - 60_000)
      const { layer } = yield* oneStore
      const processes = yield* Effect.replicateEffect(quotasOver(layer), 4)
      assert.strictEqual(yield* accepted(processes, 10), 40)
      // Leased and not used by the processes that ended, and given back.
      yield* TestClock.adjust("3 seconds")
      const later = yield* Effect.replicateEffect(quotasOver(layer), 2)
      assert.strictEqual(yield* accepted(later, 50), 60)
      const [first, second] = later as [Quotas, Quotas]
      assert.strictEqual(yield* take(first), 57)
      assert.strictEqual(yield* used(first), 100)
      // Under a higher limit what was counted still counts.
      assert.strictEqual(yield* take(second, 1, 101), 0)
      assert.strictEqual(yield* take(second, 1, 101), 57)
      yield* TestClock.adjust("57 seconds")
      assert.strictEqual(yield* used(first), 0)
      assert.strictEqual(yield* accepted(later, 60), 100)
    })
  )

  it.scoped("is exact where the store takes its time, or a process gets little of the processor", () =>
    Effect.gen(function* () {
      const { layer } = yield* oneStore
      const { take: takeAtOnce, ...store } = yield* Effect.provide(Store, layer)
      const slow = Layer.succeed(Store, {
        ...store,
        take: (taking) => Effect.delay(takeAtOnce?.(taking) ?? Effect.dieMessage("cannot share"), "500 millis")
      })
      const [first, second] = [yield* quotasOver(slow), yield* quotasOver(slow)]
      const found: Array<number> = []
      for (const quotas of [first, second]) {
        const fiber = yield* Effect.fork(accepted([quotas], 90))
        while ((yield* Fiber.poll(fiber))._tag === "None") yield* TestClock.adjust("100 millis")
        found.push(yield* Fiber.join(fiber))
        // What is leased and not used is given back.
        for (let times = 0; times < 50; times++) yield* TestClock.adjust("100 millis")
      }
      assert.deepStrictEqual(found, [90, 10])
    })
  )

  it.scoped("has again what another process leased and did not use", () =>
    Effect.gen(function* () {
      const { layer, state } = yield* oneStore
      const [first, second] = [yield* quotasOver(layer), yield* quotasOver(layer)]
      yield* accepted([first], 10)
      yield* take(first)
      const others = yield* accepted([second], 100)
      assert.isBelow(others, 89)
      // Refused for a while by what the store has reported.
      const before = state.requests
      assert.strictEqual(yield* accepted([second], 20), 0)
      assert.strictEqual(state.requests, before)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* accepted([second], 100), 89 - others)
    })
  )

  it.scoped("accepts several calls together or not at all", () =>
    Effect.gen(function* () {
      const { layer } = yield* oneStore
      const [first, second] = [yield* quotasOver(layer), yield* quotasOver(layer)]
      assert.strictEqual(yield* take(first, 60), 0)
      assert.isAbove(yield* take(second, 60), 0)
      assert.strictEqual(yield* take(second, 40), 0)
      assert.isAbove(yield* take(first), 0)
    })
  )

  it.scoped("is a share of what is left while the store is away, and is told of it afterwards", () =>
    Effect.gen(function* () {
      const { layer, state } = yield* oneStore
      const processes = yield* Effect.replicateEffect(quotasOver(layer), 4)
      const [first, second] = processes as [Quotas, Quotas]
      assert.strictEqual(yield* take(first, 90), 0)
      state.away = true
      // It knows of the ninety; the others have a quarter each.
      assert.strictEqual(yield* accepted([first], 40), 10)
      assert.strictEqual(yield* accepted([second], 40), 25)
      state.away = false
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* accepted(processes, 10), 0)
    })
  )
})
