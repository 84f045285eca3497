import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Budget from "../../../src/upstream/budget/Budget.ts"
import { priorities } from "../../../src/upstream/Priority.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { call, day, granted, hour, slowLimits, usageNow } from "../budgeting.ts"

const waiting = "too many calls are queued"
const usedUp = "the call limit of this month is reached for now"

describe("the budget per second", () => {
  it("grants the burst immediately, and then a permit per interval", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 2, maxWait: 10_000 })
    const at: Array<number> = []
    const permit = Effect.zipRight(
      budget.acquire,
      Effect.map(TestClock.currentTimeMillis, (now) => at.push(now))
    )
    const all = yield* Effect.fork(
      Effect.all(
        Array.from({ length: 6 }, () => permit),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust(1_500)
    yield* Fiber.join(all)
    assert.deepStrictEqual(at, [0, 0, 0, 500, 1_000, 1_500])
  })

  it("refuses immediately if the wait is too long, and returns the wait", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 1, burst: 1, maxWait: 1_000 })
    yield* budget.acquire
    yield* Effect.fork(budget.acquire)
    yield* Effect.yieldNow()
    assert.deepStrictEqual(yield* Effect.flip(budget.acquire), {
      reason: "rate_limited",
      detail: waiting,
      retryAfter: 2_000
    })
    yield* TestClock.adjust(2_000)
    assert.strictEqual(yield* call(budget), "ok")
  })

  it("is not blocked by a clock that is set back", function* () {
    yield* TestClock.setTime(400 * day)
    const budget = Budget.make({ ...slowLimits, perMonth: 62 })
    assert.strictEqual(yield* granted(budget, 2), 1)
    yield* TestClock.setTime(day)
    assert.strictEqual(yield* granted(budget, 2), 0)
    yield* TestClock.adjust(13 * hour)
    assert.strictEqual(yield* granted(budget, 2), 1)
  })
})

describe("the clock of a budget", () => {
  it("may be set back by a little without stopping it until the clock has caught up", function* () {
    yield* TestClock.setTime(day)
    const budget = Budget.make({ ...slowLimits, perSecond: 10, burst: 1 })
    assert.strictEqual(yield* granted(budget, 2), 1)
    yield* TestClock.setTime(day - 500)
    assert.strictEqual(yield* granted(budget, 2), 0)
    yield* TestClock.adjust(100)
    assert.strictEqual(yield* granted(budget, 2), 1)
  })
})

describe("priorities", () => {
  it("are refused in their order: background charts first, prices that a client waits for last", function* () {
    const budget = Budget.make({ ...slowLimits, burst: 8 })
    assert.strictEqual(yield* granted(budget, 5, priorities.chartRefresh), 4)
    assert.strictEqual(yield* granted(budget, 1, priorities.chart), 1)
    assert.strictEqual(yield* granted(budget, 2, priorities.refresh), 1)
    assert.strictEqual(yield* granted(budget, 2, priorities.chart), 0)
    assert.strictEqual(yield* granted(budget, 3, priorities.price), 2)
    assert.strictEqual((yield* usageNow(budget)).left, 0)
  })

  it("apply to the monthly budget too", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 100, burst: 100, perMonth: 8 * 62 })
    assert.strictEqual(yield* granted(budget, 9, priorities.chartRefresh), 4)
    assert.strictEqual(yield* call(budget, priorities.chartRefresh), usedUp)
    assert.strictEqual(yield* granted(budget, 9, priorities.chart), 2)
    assert.strictEqual(yield* granted(budget, 9), 2)
  })

  it("that wait take no permit meanwhile: a later price call goes first", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 1, burst: 4 })
    assert.strictEqual(yield* granted(budget, 2), 2)
    const behind = yield* Effect.fork(call(budget, { reserve: 0.5, maxWait: 10_000 }))
    yield* Effect.yieldNow()
    assert.strictEqual(yield* granted(budget, 3), 2)
    yield* TestClock.adjust(2_999)
    assert.isNull(behind.unsafePoll())
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Fiber.join(behind), "ok")
  })

  it("that wait are refused when others take all permits", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 1, burst: 4 })
    assert.strictEqual(yield* granted(budget, 2), 2)
    const behind = yield* Effect.fork(call(budget, { reserve: 0.5, maxWait: 2_000 }))
    yield* Effect.yieldNow()
    assert.strictEqual(yield* granted(budget, 2), 2)
    yield* TestClock.adjust(2_000)
    assert.strictEqual(yield* Fiber.join(behind), waiting)
  })

  it("have their own maximum wait", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 1, burst: 1, maxWait: 5_000 })
    yield* budget.acquire
    assert.strictEqual(yield* call(budget, { reserve: 0, maxWait: 999 }), waiting)
    const patient = yield* Effect.fork(call(budget, { reserve: 0, maxWait: 1_000 }))
    yield* TestClock.adjust(1_000)
    assert.strictEqual(yield* Fiber.join(patient), "ok")
  })

  it("get a permit of the smallest burst when no other call needs it", function* () {
    const budget = Budget.make({ ...slowLimits, burst: 1 })
    assert.strictEqual(yield* granted(budget, 2, priorities.chartRefresh), 1)
  })
})

describe("the monthly budget", () => {
  it("refuses immediately when it is used up, and takes no permit from the budget per second", function* () {
    const budget = Budget.make({ ...slowLimits, perMonth: 62, maxWait: 6_000 })
    yield* budget.acquire
    const refused = yield* Effect.flip(budget.acquire)
    assert.deepInclude(refused, { reason: "rate_limited", detail: usedUp })
    assert.approximately(refused.retryAfter ?? 0, (31 * day) / 61, hour)
    const { count, month, second } = budget.state(0)
    assert.deepStrictEqual([count.used, month?.filled, second.filled], [1, 1, 1])
  })

  it("is not spent by calls that the budget per second refuses", function* () {
    const budget = Budget.make({ ...slowLimits, perMonth: 6_200 })
    assert.strictEqual(yield* granted(budget, 10), 3)
    const { count, month } = budget.state(0)
    assert.deepStrictEqual([count.used, month?.filled], [3, 3])
  })

  it("makes calls wait for a permit up to the maximum wait", function* () {
    const budget = Budget.make({ ...slowLimits, perSecond: 100, burst: 100, perMonth: 62 * 31 * 24 })
    const all = 31 * 24
    assert.strictEqual(yield* granted(budget, all + 1, { reserve: 0, maxWait: 0 }), 100)
    yield* TestClock.adjust("7 seconds")
    assert.strictEqual(yield* granted(budget, all, { reserve: 0, maxWait: 0 }), 100)
  })
})

describe("the monthly count", () => {
  it("has a forecast at the current rate, and restarts with the month", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-01"))
    const budget = Budget.make({ ...slowLimits, burst: 10 })
    assert.strictEqual(yield* granted(budget, 10), 10)
    yield* TestClock.setTime(Date.parse("2026-11-11"))
    assert.deepStrictEqual(yield* usageNow(budget), { left: 10, used: 10, forecast: 30 })
    yield* TestClock.setTime(Date.parse("2026-12-01"))
    assert.deepStrictEqual(yield* usageNow(budget), { left: 10, used: 0, forecast: 0 })
    yield* TestClock.setTime(Date.parse("2026-12-03"))
    assert.strictEqual(yield* granted(budget, 4), 4)
    assert.deepStrictEqual(yield* usageNow(budget), { left: 6, used: 4, forecast: 62 })
  })

  it("counts the calls of the first hour as those of a full hour", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-30T12:00:00Z"))
    const budget = Budget.make(slowLimits)
    yield* budget.acquire
    assert.deepStrictEqual(yield* usageNow(budget), { left: 2, used: 1, forecast: 13 })
  })

  it("restarts if the clock is set back into another month", function* () {
    yield* TestClock.setTime(Date.parse("2026-12-10"))
    const budget = Budget.make(slowLimits)
    yield* budget.acquire
    yield* TestClock.setTime(Date.parse("2026-11-29"))
    assert.deepStrictEqual(yield* usageNow(budget), { left: 2, used: 0, forecast: 0 })
  })
})
