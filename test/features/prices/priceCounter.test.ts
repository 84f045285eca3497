import * as Effect from "effect/Effect"
import { priceCounter } from "../../../src/features/prices/Prices.ts"
import type { Tally } from "../../../src/kernel/Tally.ts"
import { increases } from "../../support/samples.ts"
import { assert, describe } from "../../support/vitest.ts"
import { id, none, prices, source, test } from "./pricing.ts"

describe("requested prices", () => {
  test(
    "are counted, and by error code if they are missing",
    () => [source("a", { dai: [1] }), source("b")],
    function* (a = none, b = none) {
      const all = prices("dai", "weth", "not an id")
      assert.deepStrictEqual(yield* increases("coin_prices_total", all), { "": 3 })
      a.state.failing = "timeout"
      b.state.failing = "timeout"
      assert.deepStrictEqual(yield* increases("coin_prices_missing_total", prices("dai", "uni")), {
        'code="timeout"': 1
      })
    }
  )

  test(
    "do not count if no coin has the id",
    () => [none],
    function* () {
      const tally: Tally = { networks: [], nulls: 0 }
      const count = Effect.sync(() =>
        priceCounter()(
          tally,
          {
            found: new Map(),
            missing: new Map([
              [id("dai"), "no_price"],
              [id("made-up"), "no_price"]
            ])
          },
          new Set(["dai"])
        )
      )
      assert.deepStrictEqual(yield* increases("coin_prices_total", count), { "": 1 })
      assert.deepStrictEqual(yield* increases("coin_prices_missing_total", count), { 'code="no_price"': 1 })
      assert.deepStrictEqual(tally, { networks: [], nulls: 2 })
    }
  )
})
