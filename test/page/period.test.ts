import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChartSeries, withCurrent } from "../../src/page/coin/series.ts"
import { sparkPath } from "../../src/page/parts/sparkPath.ts"
import { direction, percent } from "../../src/page/text/format.ts"
import { Browser, listening } from "../support/browser.ts"
import { isMissing } from "../support/tools.ts"
import { does, finds } from "./steps.ts"

const hour = 3_600

/** The heights of the points of a line, px from above. */
const heights = (path: string) => [...path.matchAll(/ (\d+(?:\.\d+)?)/g)].map(([, y]) => Number(y))

describe("changes and lines", () => {
  it("have the colour of the rounded number", () => {
    for (const [value, colour, text] of [
      [-0.00001, "", "0.00%"],
      [0.004, "", "0.00%"],
      [0.006, "up", "+0.01%"],
      [-0.006, "down", "-0.01%"],
      [undefined, "", "0.00%"],
      [null, "", "0.00%"]
    ] as const) {
      assert.strictEqual(direction(value), colour, String(value))
      assert.strictEqual(percent(value ?? 0), text)
    }
  })

  it("are of the last day, and flat for a stable price", () => {
    const week = Array.from({ length: 169 }, (_, index) => [index * hour, index < 144 ? 1000 : 2] as const)
    const [first, ...others] = heights(sparkPath(week))
    assert.deepStrictEqual([...new Set(others)], [first])
    assert.lengthOf(heights(sparkPath(week)), 25)
    const stable = heights(
      sparkPath([
        [0, 1],
        [hour, 0.9995],
        [2 * hour, 1.0002]
      ])
    )
    assert.isBelow(Math.max(...stable) - Math.min(...stable), 2)
    const fall = heights(
      sparkPath([
        [0, 1],
        [hour, 0.9]
      ])
    )
    assert.deepStrictEqual(fall, [2, 26])
    assert.strictEqual(
      sparkPath([]) +
        sparkPath([[0, 1]]) +
        sparkPath([
          [0, 1],
          [30 * hour, 2]
        ]),
      ""
    )
  })
})

describe("a line of prices", () => {
  const line: ChartSeries = {
    kind: "line",
    currency: "USD",
    times: [1, 2],
    columns: [{ name: "price", values: [7, 8] }]
  }

  it("ends with the current price", () => {
    assert.deepInclude(withCurrent(line, 9, 3_000), {
      times: [1, 2, 3],
      columns: [{ name: "price", values: [7, 8, 9] }]
    })
    // A browser whose clock is slow.
    assert.deepInclude(withCurrent(line, 9, 1_500), { times: [1, 2], columns: [{ name: "price", values: [7, 9] }] })
    for (const price of [null, undefined]) assert.strictEqual(withCurrent(line, price, 3_000), line)
    const candles = { ...line, kind: "candles" as const }
    assert.strictEqual(withCurrent(candles, 9, 3_000), candles)
    assert.isUndefined(withCurrent(undefined, 9, 3_000))
  })
})

describe.skipIf(isMissing("chromium"))("the view of a coin", () => {
  layer(Browser.layer, { excludeTestServices: true })((it) => {
    it.scoped(
      "has one current price, and lists have one period",
      () =>
        Effect.gen(function* () {
          const url = yield* listening()
          const tab = yield* (yield* Browser).open(url, "/", { reducedMotion: "reduce" })
          const { page } = tab
          yield* finds(tab, ".live .spark path")
          yield* finds(tab, ".live .period", "Lines and changes: 24 hours")
          const pairs = yield* does(() =>
            page.evaluate<ReadonlyArray<readonly [string, string]>>(`
              [...document.querySelectorAll(".live .coin-row:has(.spark)")].map((row) => [
                row.querySelector(".spark").getAttribute("class").replace("spark", "").trim(),
                row.querySelector(".number .detail").className.replace("detail", "").trim()
              ])`)
          )
          assert.isNotEmpty(pairs)
          for (const [line, change] of pairs) assert.strictEqual(line, change)
          yield* does(() => page.evaluate('location.hash = "#/coin/bitcoin"'))
          yield* finds(tab, "canvas")
          const shown = yield* does(() => page.locator(".coin-head .total").textContent())
          assert.match(shown ?? "", /^\$\d/)
          yield* finds(tab, ".chart figcaption", `price ${shown}`)
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )
  })
})
