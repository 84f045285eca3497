import * as TestClock from "effect/TestClock"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { sample } from "../../support/fixtures.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { address, nodeAfter as after, coinId, pricesFrom as from, json, multiplier, rowIn, start } from "./jupiter.ts"
import { key } from "./nodes.ts"

const row = rowIn(sample("jupiter", "price-v3"))

const nodeAfter = (slots: number) => after(slots, row)
const pricesFrom = (jupiter: EvmNodes.SimulatedHost, node = nodeAfter(100)) => from(jupiter, node)

describe("the price of a token with scaled amounts", () => {
  it("is for the displayed unit, at the time of its slot, and is requested once a minute", function* () {
    const { calls, of, tokenBy } = yield* pricesFrom(json({ [address]: row }))
    assert.deepStrictEqual(
      [...(yield* of(tokenBy(multiplier)))],
      [
        [
          address,
          {
            coinId,
            usd: row.usdPrice,
            updatedAt: start - 100 * 400,
            source: "jupiter",
            changePercent24h: row.priceChange24h
          }
        ]
      ]
    )
    yield* of(tokenBy(multiplier))
    assert.deepStrictEqual(calls(), [1])
    yield* TestClock.adjust("1 minute")
    yield* of(tokenBy(multiplier))
    assert.deepStrictEqual(calls(), [1])
  })

  it("is requested for fifty tokens in one call, and a token without a price again after a minute", function* () {
    const { calls, of, tokenBy } = yield* pricesFrom(json({}))
    const tokens = Array.from({ length: 51 }, (_, index) => tokenBy("2", key(index)))
    assert.deepStrictEqual([...(yield* of(...tokens))], [])
    assert.deepStrictEqual(calls(), [50, 1])
    yield* of(...tokens)
    assert.deepStrictEqual(calls(), [])
  })

  it("is not known if its two prices do not differ by the multiplier, or the source has none", function* () {
    const { scaledUiConfig: _, ...plain } = row
    for (const [body, text] of [
      [{ [address]: row }, "5"],
      [{ [address]: row }, "1.008"],
      [{ [address]: plain }, multiplier],
      [{ [address]: { ...row, usdPrice: 0 } }, multiplier],
      [{ [address]: { ...row, usdPrice: 1e300, scaledUiConfig: { usdPricePrescaled: 1.005714e300 } } }, multiplier],
      [{ [address]: { ...row, blockId: null } }, multiplier],
      [{}, multiplier],
      [[], multiplier]
    ] as const) {
      const { of, tokenBy } = yield* pricesFrom(json(body))
      assert.deepStrictEqual([...(yield* of(tokenBy(text)))], [], JSON.stringify(body))
    }
    for (const reply of [json({ message: "down" }, 503), EvmNodes.hanging]) {
      const { of, tokenBy } = yield* pricesFrom(reply)
      assert.deepStrictEqual([...(yield* of(tokenBy(multiplier)))], [])
    }
  })

  it("is not served beyond the age limit of prices, nor if its age is not known", function* () {
    const slots = 900_000 / 400
    for (const [node, count] of [
      [nodeAfter(slots), 1],
      [nodeAfter(slots + 1), 0],
      [nodeAfter(-5), 1],
      [EvmNodes.down, 0]
    ] as const) {
      const { of, tokenBy } = yield* pricesFrom(json({ [address]: row }), node)
      assert.strictEqual((yield* of(tokenBy(multiplier))).size, count)
    }
  })
})
