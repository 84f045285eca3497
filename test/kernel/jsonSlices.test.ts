import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { jsonSlices } from "../../src/chains/utxo/Unspent.ts"

const joined = (text: string) => {
  const all: Array<unknown> = []
  for (const slice of jsonSlices(text)) {
    if (slice === undefined) return undefined
    all.push(...(JSON.parse(slice) as ReadonlyArray<unknown>))
  }
  return all
}

describe("a long JSON array in slices", () => {
  it.prop("has the elements of the whole array", [FastCheck.array(FastCheck.jsonValue())], ([values]) => {
    assert.deepStrictEqual(joined(JSON.stringify(values, null, 1)), JSON.parse(JSON.stringify(values)))
  })

  it("is cut between elements, for any brackets and quotation marks inside of them", () => {
    const values = Array.from({ length: 5_000 }, (_, index) => ({ txid: `"],[{\\${index}`, inner: [[index], {}] }))
    const slices = [...jsonSlices(JSON.stringify(values))]
    assert.isAbove(slices.length, 5)
    for (const slice of slices) assert.isBelow(slice?.length ?? 0, 40_000)
    assert.deepStrictEqual(joined(JSON.stringify(values)), values)
  })

  it.each([
    "",
    "{}",
    "[1",
    '["a]',
    "[1]]",
    "[1] 2",
    '{"a":[1]}',
    `["${"a".repeat(70_000)}"]`,
    `[1,${"[".repeat(80_000)}`
  ])("rejects malformed text %#", (text) => assert.isUndefined(joined(text)))
})
