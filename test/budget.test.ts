import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { budgets, overBudget, standard } from "./support/budget.ts"

/** The sum of the budgets in the table, CPU-seconds, which may only fall. */
const total = 150

describe("the table of budgets", () => {
  it("contains existing files, each with more than the standard budget", () => {
    for (const [name, budget] of Object.entries(budgets)) {
      assert.isTrue(existsSync(name), name)
      assert.isAbove(budget, standard, name)
    }
  })

  it("has the recorded sum, which may only fall", () => {
    assert.strictEqual(
      Object.values(budgets).reduce((sum, budget) => sum + budget, 0),
      total
    )
  })
})

describe("a file of tests", () => {
  const files = [
    { name: "a.test.ts", cpu: 7 },
    { name: "b.test.ts", cpu: 5 },
    { name: "c.test.ts", cpu: 4 }
  ]

  it("fails the run if it uses more than 1.5 times its budget", () => {
    assert.deepStrictEqual(overBudget(files, 1, { "a.test.ts": 5 }), [
      { name: "b.test.ts", problem: `b.test.ts used 5.0 CPU-seconds, its budget is ${standard}` }
    ])
    assert.deepStrictEqual(overBudget(files, 1, { "a.test.ts": 4, "b.test.ts": 4 }), [
      { name: "a.test.ts", problem: "a.test.ts used 7.0 CPU-seconds, its budget is 4" }
    ])
  })

  it("may use more on a slower machine", () => {
    assert.deepStrictEqual(overBudget(files, 1.2, { "a.test.ts": 4 }), [])
    assert.lengthOf(overBudget(files, 1.05, { "a.test.ts": 4 }), 2)
  })
})
