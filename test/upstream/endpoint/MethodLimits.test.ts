import { assert, describe, it } from "@effect/vitest"
import * as MethodLimits from "../../../src/upstream/endpoint/MethodLimits.ts"

describe("the methods that a node refuses with a limit", () => {
  it("are remembered for a while, up to a number and a length of their names, which clients choose", () => {
    const limits = MethodLimits.make()
    const refuse = (method: string) => {
      assert.isTrue(limits.isOnly(method, 0))
      limits.succeeded(0)
      return limits.isLimited(method, 1)
    }
    const names = Array.from({ length: 150 }, (_, index) => `method${index}`)
    assert.isFalse(refuse("x".repeat(101)))
    assert.strictEqual(names.filter(refuse).length, 100)
    assert.isFalse(limits.isLimited("method0", 1_000))
    assert.isTrue(limits.isOnly("another", 2_000))
    assert.isTrue(limits.isLimited("another", 2_001))
  })

  it("are a limit of the node if two are refused without a success in between", () => {
    const limits = MethodLimits.make()
    assert.isTrue(limits.isOnly("a", 0))
    assert.isTrue(limits.isOnly("a", 1))
    assert.isFalse(limits.isOnly("b", 2))
    assert.isTrue(limits.isOnly("b", 3))
    limits.succeeded(4)
    assert.isTrue(limits.isOnly("a", 5))
  })
})
