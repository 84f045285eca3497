import { assert, it } from "@effect/vitest"
import { ofLast } from "../../src/kernel/ofLast.ts"

it("makes nothing anew for the argument of the call before, and everything else", () => {
  const made: Array<string> = []
  const upper = ofLast((text: string) => {
    made.push(text)
    return text.toUpperCase()
  })
  assert.deepStrictEqual(["", "a", "a", "b", "a", ""].map(upper), ["", "A", "A", "B", "A", ""])
  assert.deepStrictEqual(made, ["", "a", "b", "a", ""])
})
