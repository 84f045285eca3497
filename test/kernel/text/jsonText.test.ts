import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { endOfString, measure } from "../../../src/kernel/text/jsonText.ts"

/** Limits that no generated text exceeds. */
const most = { depth: 1_000, values: 1_000_000 }

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const valuesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Object.values(value).reduce((sum: number, inner) => sum + valuesOf(inner), 0)
    : 1

const text = FastCheck.jsonValue({ maxDepth: 8 }).map((value) => ({ value, text: JSON.stringify(value) }))

describe("the measure of a JSON text", () => {
  it.prop("is its depth, and at least its number of values", [text], ([{ text, value }]) => {
    const found = measure(text, most)
    assert.strictEqual(found.depth, depthOf(value))
    assert.isAtLeast(found.values, valuesOf(value))
    assert.isAtMost(found.values, 2 * valuesOf(value))
  })

  it.prop("ignores the content of strings", [FastCheck.string({ unit: "binary" })], ([inside]) => {
    assert.deepStrictEqual(measure(JSON.stringify([`[[{,${inside}`]), most), { depth: 1, values: 2 })
  })

  it("ends once a limit is exceeded", () => {
    assert.deepStrictEqual(measure("[".repeat(1_000_000), { ...most, depth: 64 }).depth, 65)
    assert.deepStrictEqual(measure(`[${"1,".repeat(1_000_000)}`, { ...most, values: 10 }).values, 11)
  })

  it("is also defined for text that is not JSON", () => {
    for (const broken of ['"', '["', "]]]", '{"a\\"', "", '\\"']) assert.isAtMost(measure(broken, most).values, 2)
  })
})

it.prop(
  "endOfString returns the index after the closing quotation mark",
  [FastCheck.string({ unit: "binary" }), FastCheck.string()],
  ([json, rest]) => {
    const quoted = JSON.stringify(json)
    assert.strictEqual(endOfString(quoted + rest, 0), quoted.length)
  }
)
