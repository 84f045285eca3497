import * as BlockTimes from "../../src/catalogue/BlockTimes.ts"
import { secondsOf } from "../../src/chains/kit/fees/feeLevels.ts"
import { height, seconds } from "../../src/domain/units.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Passes blocks, each by its distance to the first, of a network with this block time, ms. */
const measured = (blockTime: number | undefined, ...blocks: ReadonlyArray<readonly [blocks: number, time: number]>) => {
  const facts = blockTime === undefined ? {} : { blockTime }
  for (const [number, time] of blocks)
    BlockTimes.note(facts, { height: height(1_000_000 + number), time: seconds(1_800_000_000 + time) })
  return [BlockTimes.current(facts), secondsOf(3, facts)]
}

describe("the time between blocks", () => {
  it("is measured by two distances that agree, and replaces the facts", () => {
    const faster = [
      [0, 0],
      [2_000, 800],
      [4_100, 1_640]
    ] as const
    assert.deepStrictEqual(measured(5_000, ...faster), [400, 1.2])
    assert.deepStrictEqual(measured(undefined, ...faster), [400, 1.2])
    assert.deepStrictEqual(measured(5_000, ...faster.slice(0, 2)), [5_000, 15])
    assert.deepStrictEqual(measured(undefined, ...faster.slice(0, 2)), [undefined, null])
  })

  it("is that of the facts if it hardly differs", () => {
    assert.deepStrictEqual(measured(2_100, [0, 0], [2_000, 4_000], [4_000, 8_000]), [2_100, 6.3])
    assert.deepStrictEqual(measured(2_120, [0, 0], [2_000, 4_000], [4_000, 8_000]), [2_000, 6])
  })

  it("is not measured by blocks that are near to each other", () => {
    assert.deepStrictEqual(measured(5_000, [0, 0], [1_999, 2_000], [1_999, 4_000]), [5_000, 15])
    assert.deepStrictEqual(measured(5_000, [0, 0], [2_000, 599], [4_000, 599]), [5_000, 15])
  })

  it("ignores blocks of sources that are a little behind", () => {
    assert.deepStrictEqual(
      measured(5_000, [0, 0], [-1_999, -9], [2_000, 4_000], [1_999, 4_000], [4_000, 8_000]),
      [2_000, 6]
    )
  })

  it("is that of the facts after a wrong block, and measured again from there", () => {
    const honest = [
      [0, 0],
      [2_000, 4_000],
      [4_000, 8_000]
    ] as const
    assert.deepStrictEqual(measured(5_000, ...honest), [2_000, 6])
    assert.deepStrictEqual(measured(5_000, ...honest, [900_000, 8_600]), [5_000, 15])
    assert.deepStrictEqual(measured(5_000, ...honest, [900_000, 8_600], [6_000, 12_000]), [5_000, 15])
    assert.deepStrictEqual(measured(5_000, ...honest, [900_000, 8_600], [6_000, 12_000], [8_000, 16_000]), [5_000, 15])
    const again = [
      [900_000, 8_600],
      [6_000, 12_000],
      [8_000, 16_000],
      [10_000, 20_000]
    ] as const
    assert.deepStrictEqual(measured(5_000, ...honest, ...again), [2_000, 6])
    assert.deepStrictEqual(measured(5_000, ...honest, [6_000, 20_000]), [5_000, 15])
  })

  it("cannot differ from the facts by more than a factor of twenty", () => {
    assert.deepStrictEqual(measured(8_000, [0, 0], [2_000, 800], [4_000, 1_600]), [400, 1.2])
    assert.deepStrictEqual(measured(8_001, [0, 0], [2_000, 800], [4_000, 1_600]), [8_001, 24.003])
    assert.deepStrictEqual(measured(200, [0, 0], [2_000, 8_000], [4_000, 16_000]), [4_000, 12])
    assert.deepStrictEqual(measured(199, [0, 0], [2_000, 8_000], [4_000, 16_000]), [199, 0.597])
  })
})
