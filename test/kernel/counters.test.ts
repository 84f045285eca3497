import { counters } from "../../src/kernel/counters.ts"
import { samples } from "../support/samples.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("counters", () => {
  it("exist with 0 for each combination of the labels, and for other values from their first increment", function* () {
    const count = counters("counters_test_total", "A test", { network: ["a", "b"], code: ["x", "y"] })
    const zeros = {
      'network="a",code="x"': 0,
      'network="a",code="y"': 0,
      'network="b",code="x"': 0,
      'network="b",code="y"': 0
    }
    assert.deepStrictEqual(yield* samples("counters_test_total"), zeros)
    count(2, "a", "y")
    count(1, "a", "y")
    count(1, "c", "x")
    assert.deepStrictEqual(yield* samples("counters_test_total"), {
      ...zeros,
      'network="a",code="y"': 3,
      'network="c",code="x"': 1
    })
  })

  it("without labels are one counter", function* () {
    const count = counters("counters_test_plain_total", "A test", {})
    assert.deepStrictEqual(yield* samples("counters_test_plain_total"), { "": 0 })
    count(5)
    assert.deepStrictEqual(yield* samples("counters_test_plain_total"), { "": 5 })
  })
})
