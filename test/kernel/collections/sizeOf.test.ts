import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { sizeOf } from "../../../src/kernel/collections/sizeOf.ts"

describe("the size of a value in memory", () => {
  it("grows with its content", () => {
    assert.isAbove(sizeOf("x".repeat(1000)), 1000)
    assert.isAbove(sizeOf([{ a: new Map([["b", new Set(["x".repeat(1000)])]]) }]), 1000)
    assert.isAbove(sizeOf({ bytes: new Uint8Array(1000) }), 1000)
    assert.isAbove(sizeOf([1n, 2, true, null, undefined, () => 1]), 0)
  })

  it("is at least a third of the length of its JSON text", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue(), (value) =>
        assert.isAtLeast(sizeOf(value) * 3, JSON.stringify(value).length)
      )
    )
  })

  it("counts two bytes for each character of a text with other characters than Latin-1", () => {
    const latin = sizeOf("é".repeat(1_000))
    assert.strictEqual(sizeOf(`${"é".repeat(999)}本`) - latin, 1_000)
  })

  it("is finite for a value that refers to itself", () => {
    const circle: { name: string; self?: unknown } = { name: "circle" }
    circle.self = circle
    assert.isBelow(sizeOf(circle), 10_000)
  })
})
