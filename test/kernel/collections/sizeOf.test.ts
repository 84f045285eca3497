import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { sizeOf } from "../../../src/kernel/collections/BoundedMap.ts"

describe("the size of a value in memory", () => {
  it("grows with all that it holds", () => {
    assert.isAbove(sizeOf("x".repeat(1000)), 1000)
    assert.isAbove(sizeOf([{ a: new Map([["b", new Set(["x".repeat(1000)])]]) }]), 1000)
    assert.isAbove(sizeOf({ bytes: new Uint8Array(1000) }), 1000)
    assert.isAbove(sizeOf([1n, 2, true, null, undefined, () => 1]), 0)
  })

  it("is at least that of its JSON text's letters, whatever it is", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue(), (value) =>
        assert.isAtLeast(sizeOf(value) * 3, JSON.stringify(value).length)
      )
    )
  })

  it("is had of a value that refers to itself, too", () => {
    const circle: { name: string; self?: unknown } = { name: "circle" }
    circle.self = circle
    assert.isBelow(sizeOf(circle), 10_000)
  })
})
