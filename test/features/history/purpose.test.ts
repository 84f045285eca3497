import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as Budget from "../../../src/upstream/budget/Budget.ts"
import { CurrentPriority, type Priority, priorities } from "../../../src/upstream/Priority.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { call, granted } from "../../upstream/budgeting.ts"
import { holder, network, over, part, transaction } from "./histories.ts"

describe("the calls for a history", () => {
  it.scoped("have the priority of histories", () => {
    const seen: Array<Priority> = []
    const ethereum = network("ethereum", () =>
      Effect.map(CurrentPriority, (purpose) => {
        seen.push(purpose)
        return part([transaction(1)])
      })
    )
    return Effect.gen(function* () {
      const history = yield* History
      yield* history.transactions({ ethereum: [holder] }, 5)
      assert.deepStrictEqual(seen, [priorities.history])
    }).pipe(Effect.provide(Layer.provide(over(ethereum), Memory.layer())))
  })

  it("are rejected at once if too many are waiting, so that another source is queried in time", function* () {
    const budget = Budget.make({ source: "TEST", perSecond: 2, burst: 1, maxWait: 3_000 })
    const ended: Array<string> = []
    const requests = Array.from({ length: 20 }, () =>
      Effect.flatMap(call(budget, priorities.history), (outcome) =>
        Effect.map(Clock.currentTimeMillis, (now) => ended.push(`${outcome} ${now}`))
      )
    )
    const all = yield* Effect.fork(Effect.all(requests, { concurrency: "unbounded" }))
    yield* TestClock.adjust(1)
    assert.strictEqual(ended.filter((text) => text.startsWith("too many")).length, 13)
    for (let step = 0; step < 30; step++) yield* TestClock.adjust("100 millis")
    yield* Fiber.join(all)
    assert.deepStrictEqual(
      ended.filter((line) => line.startsWith("ok")),
      ["ok 0", "ok 500", "ok 1000", "ok 1500", "ok 2000", "ok 2500", "ok 3000"]
    )
  })

  it("leave permits for balances and prices, and have precedence over charts", function* () {
    const budget = Budget.make({ source: "TEST", perSecond: 0.001, burst: 20, maxWait: 0 })
    assert.strictEqual(yield* granted(budget, 20, priorities.chart), 15)
    assert.strictEqual(yield* granted(budget, 20, priorities.history), 2)
    assert.strictEqual(yield* granted(budget, 20, priorities.price), 3)
  })
})
