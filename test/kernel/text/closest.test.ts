import { assert, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { closest, nearest, startsLike } from "../../../src/kernel/text/closest.ts"

const known = ["networkId", "address", "tokenAddress", "days", "gas", "gas_price", "tx"]

it("finds the intended name, ignoring case and punctuation", () => {
  for (const [given, meant] of [
    ["tokenAdress", "tokenAddress"],
    ["TOKEN-ADDRESS", "tokenAddress"],
    ["network_id", "networkId"],
    ["adress", "address"],
    ["dyas", "days"],
    ["gasPrice", "gas_price"],
    ["gass", "gas"]
  ] as const)
    assert.strictEqual(closest(given, known), meant, given)
})

it("returns undefined if no name is close, or the given name is empty or very long", () => {
  for (const given of ["", "holder", "q", "token", "tokenAddress".repeat(100)])
    assert.isUndefined(closest(given, known), given)
  assert.isUndefined(closest("days", []))
})

/** The Levenshtein distance by its recursive definition, without a limit. */
const reference = (a: string, b: string): number => {
  if (a === "" || b === "") return a.length + b.length
  const replaced = reference(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1)
  return Math.min(replaced, reference(a.slice(1), b) + 1, reference(a, b.slice(1)) + 1)
}

it("finds a name up to two edits away by the definition", () => {
  const word = fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b", "c") })
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.strictEqual(nearest(a, [b]), reference(a, b) <= 2 ? b : undefined)
    })
  )
})

it("finds the start of a text up to some edits away by the definition", () => {
  const word = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom("a", "b", "c") })
  fc.assert(
    fc.property(word(7), word(5), fc.constantFrom(1, 2), (text, prefix, edits) => {
      const starts = Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length))
      const isLike = starts.some((start) => reference(start, prefix) <= edits)
      assert.strictEqual(startsLike(text, prefix, edits), isLike)
    })
  )
})
