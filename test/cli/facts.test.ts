import { chainText } from "../../src/cli/facts.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("the words of a chain", () => {
  it("are printed in one short line without control characters", () => {
    assert.strictEqual(chainText("0x1\n\u001b[2J ok\u202e"), "0x1 [2J ok")
    assert.strictEqual(chainText("x".repeat(1_000)).length, 200)
  })
})
