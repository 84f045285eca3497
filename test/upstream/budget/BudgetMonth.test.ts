import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Memory from "../../../src/storage/Memory.ts"
import type { Limits } from "../../../src/upstream/budget/Budget.ts"
import { CurrentPriority, type Priority, priorities } from "../../../src/upstream/Priority.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { day, hour, simulated } from "../budgeting.ts"

interface Step {
  /** Time before this step, ms. */
  readonly gap: number
  readonly calls: number
  readonly purpose: Priority
  readonly restart: boolean
}

/** The times of the permits that these calls get, across the restarts of the process. */
const permits = (limits: Limits, steps: ReadonlyArray<Step>) => {
  const { clock, pass } = simulated()
  const given: Array<number> = []
  return Effect.gen(function* () {
    const store = yield* Layer.build(Layer.fresh(Memory.layer()))
    const begin = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.build(Layer.fresh(Upstreams.layerStored)).pipe(
        Effect.provide(store),
        Scope.extend(scope)
      )
      const { acquire: permit } = yield* Effect.provide(
        Effect.flatMap(Upstreams, ({ budget }) => budget("host", limits)),
        context
      )
      return { scope, permit }
    })
    let process = yield* begin
    let fibers: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
    for (const { calls, gap, purpose, restart } of steps) {
      yield* pass(gap)
      if (restart) {
        yield* Fiber.interruptAll(fibers)
        fibers = []
        yield* Scope.close(process.scope, Exit.void)
        process = yield* begin
      }
      const call = Effect.flatMap(process.permit, () => Effect.map(Clock.currentTimeMillis, (now) => given.push(now)))
      for (let index = 0; index < calls; index++)
        fibers.push(yield* Effect.fork(Effect.provideService(call, CurrentPriority, purpose)))
    }
    yield* pass(2 * hour)
    yield* Fiber.interruptAll(fibers)
    yield* Scope.close(process.scope, Exit.void)
    return given.sort((a, b) => a - b)
  }).pipe(Effect.withClock(clock), Effect.scoped)
}

/** The largest number of permits in any 31 days, both ends included. */
const busiest = (given: ReadonlyArray<number>) => {
  let most = 0
  let first = 0
  for (const [last, at] of given.entries()) {
    while (at - (given[first] ?? 0) > 31 * day) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

const step: FastCheck.Arbitrary<Step> = FastCheck.record({
  gap: FastCheck.oneof(FastCheck.nat(2_000), FastCheck.nat(2 * hour), FastCheck.nat(3 * day)),
  calls: FastCheck.integer({ min: 1, max: 20 }),
  purpose: FastCheck.constantFrom<Array<Priority>>(
    ...Object.values(priorities),
    { reserve: 0, maxWait: Number.POSITIVE_INFINITY },
    { reserve: 0.3, maxWait: 20 * 60_000 }
  ),
  restart: FastCheck.boolean()
})

const limits = FastCheck.record({
  source: FastCheck.constant("TESTER"),
  perSecond: FastCheck.constantFrom(0.01, 1, 50),
  burst: FastCheck.integer({ min: 1, max: 30 }),
  perMonth: FastCheck.oneof(FastCheck.integer({ min: 1, max: 6 }), FastCheck.integer({ min: 1, max: 400 }))
})

describe("any 31 days", () => {
  it.effect.prop(
    "have at most as many permits as the monthly limit, for any calls and restarts",
    [limits, FastCheck.array(step, { minLength: 20, maxLength: 80 })],
    ([limits, steps]) =>
      Effect.map(permits(limits, steps), (given) => {
        assert.isAtMost(busiest(given), limits.perMonth)
        assert.isNotEmpty(given)
      }),
    { fastCheck: { numRuns: 15 } }
  )

  for (const perMonth of [1, 2, 100, 1_000])
    it(`have at most ${perMonth} permits, and at least 95 % of them if calls never stop`, function* () {
      const limits = { source: "TESTER", perSecond: 10, burst: 10, perMonth }
      // 40 calls per day: more than any of these monthly limits.
      const price = { gap: 3 * hour, calls: 5, purpose: priorities.price, restart: false }
      const steps = Array.from({ length: 70 * 8 }, (_, index) => ({ ...price, restart: index % 50 === 49 }))
      const given = yield* permits(limits, steps)
      assert.isAtMost(busiest(given), perMonth)
      assert.isAtLeast(busiest(given), Math.floor(perMonth * 0.95))
    })
})
