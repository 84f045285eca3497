import { assert, it } from "@effect/vitest"
import { memoizeLast } from "../../src/kernel/memoizeLast.ts"

it("reuses the value if the argument equals that of the previous call, and computes it again otherwise", () => {
  const made: Array<string> = []
  const upper = memoizeLast((text: string) => {
    made.push(text)
    return text.toUpperCase()
  })
  assert.deepStrictEqual(["", "a", "a", "b", "a", ""].map(upper), ["", "A", "A", "B", "A", ""])
  assert.deepStrictEqual(made, ["", "a", "b", "a", ""])
})
