import * as Effect from "effect/Effect"
import { Settings } from "../../src/settings/Settings.ts"
import { memoryBudget, usualMemory } from "../../src/settings/variables.ts"
import { assert, describe, it } from "../support/vitest.ts"

const mebibyte = 1024 * 1024

const budgetWith = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(memoryBudget, Settings.layer(environment))

describe("MEMORY_MB", () => {
  it("is by default an eighth of the memory, and at most 512 MB for each process", () => {
    assert.strictEqual(usualMemory(1200 * mebibyte, 1), 150 * mebibyte)
    assert.strictEqual(usualMemory(64 * 1024 * mebibyte, 1), 512 * mebibyte)
    assert.strictEqual(usualMemory(64 * 1024 * mebibyte, 4), 2048 * mebibyte)
    assert.strictEqual(usualMemory(1200 * mebibyte, 4), 150 * mebibyte)
  })

  it("is divided among the processes of one instance", function* () {
    assert.strictEqual(yield* budgetWith({ MEMORY_MB: "400" }), 400 * mebibyte)
    assert.strictEqual(yield* budgetWith({ MEMORY_MB: "400", WORKERS: "4" }), 100 * mebibyte)
    assert.strictEqual(yield* budgetWith({ MEMORY_MB: "auto" }), yield* budgetWith({}))
    assert.isAbove(yield* budgetWith({}), 0)
  })

  it("is refused if it is too small", function* () {
    const { message } = yield* Effect.flip(budgetWith({ MEMORY_MB: "15" }))
    assert.match(message, /^MEMORY_MB: "15" is not allowed; allowed: auto/)
  })
})
