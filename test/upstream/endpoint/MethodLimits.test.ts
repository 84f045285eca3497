import { assert, describe, it } from "@effect/vitest"
import * as MethodLimits from "../../../src/upstream/endpoint/MethodLimits.ts"

describe("the methods that a node refuses with a limit", () => {
  it("are remembered for a while, up to a number and a length of their names, which clients choose", () => {
    const limits = MethodLimits.make()
    const refuse = (method: string) => {
      limits.refused(method, 0)
      return limits.isLimited(method, 1)
    }
    const names = Array.from({ length: 150 }, (_, index) => `method${index}`)
    assert.isFalse(refuse("x".repeat(101)))
    assert.strictEqual(names.filter(refuse).length, 100)
    assert.isFalse(limits.isLimited("method0", 1_000))
    limits.refused("another", 2_000)
    assert.isTrue(limits.isLimited("another", 2_001))
  })
})
