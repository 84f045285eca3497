import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { filesIn } from "./support/sources.ts"

/**
 * Maximum lines of each folder of src; `.` contains the files outside of the folders. Only a change that adds an ability
 * raises the budgets of its folders, to their new sizes; any other change makes room.
 */
const budgets: Readonly<Record<string, number>> = {
  ".": 475,
  catalogue: 1304,
  chains: 39248,
  cli: 1783,
  client: 1468,
  contract: 4421,
  domain: 2025,
  effectClient: 555,
  features: 13718,
  http: 4154,
  jsonrpc: 2847,
  kernel: 1640,
  page: 13930,
  providers: 1388,
  sandbox: 15720,
  settings: 918,
  storage: 3561,
  telemetry: 1124,
  testing: 774,
  upstream: 5550,
  workers: 713
}

const sizes = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>) => {
  const sums: Record<string, number> = {}
  for (const { path, text } of files) {
    const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "."
    sums[folder] = (sums[folder] ?? 0) + text.split("\n").length - 1
  }
  return sums
}

const overBudget = (sizes: Readonly<Record<string, number>>, budgets: Readonly<Record<string, number>>) =>
  Object.entries(sizes).flatMap(([folder, lines]) => {
    const budget = budgets[folder]
    if (budget === undefined) return [`${folder} has no budget`]
    return lines > budget ? [`${folder} has ${lines} lines, its budget is ${budget}; see CONTRIBUTING.md`] : []
  })

describe("the size of the source", () => {
  const current = sizes(
    filesIn("src").map((path) => ({ path: path.slice("src/".length), text: readFileSync(path, "utf8") }))
  )

  it("of each folder is within its budget", () => {
    assert.deepStrictEqual(overBudget(current, budgets), [])
    assert.deepStrictEqual(Object.keys(budgets).sort(), Object.keys(current).sort())
  })

  it("is refused beyond a budget, and without one", () => {
    const small = sizes([
      { path: "App.ts", text: "1\n" },
      { path: "kernel/a.ts", text: "1\n2\n" },
      { path: "kernel/text/b.ts", text: "1\n" }
    ])
    assert.deepStrictEqual(small, { ".": 1, kernel: 3 })
    assert.deepStrictEqual(overBudget(small, small), [])
    assert.deepStrictEqual(overBudget(small, { kernel: 2 }), [
      ". has no budget",
      "kernel has 3 lines, its budget is 2; see CONTRIBUTING.md"
    ])
  })
})
