import { assert, describe, it } from "@effect/vitest"
import { beginCell, Cell } from "@ton/core"
import * as Option from "effect/Option"
import * as TonCells from "../../../src/sandbox/ton/TonCells.ts"

/** A tree with four times as many paths on each level, in one cell a level. */
const shared = (levels: number): Cell => {
  let cell = beginCell().storeUint(7, 8).endCell()
  for (let level = 0; level < levels; level++)
    cell = beginCell().storeUint(level, 16).storeRef(cell).storeRef(cell).storeRef(cell).storeRef(cell).endCell()
  return cell
}

const chain = (levels: number): Buffer => {
  // By hand: the library refuses what is deeper than the network allows.
  const cells = Array.from({ length: levels }, (_, index) => [1, 0, (index + 1) >> 8, (index + 1) & 255]).flat()
  const body = Buffer.from([...cells, 0, 0])
  const begin = Buffer.alloc(17)
  begin.writeUInt32BE(0xb5ee9c72)
  begin.set([2, 3], 4)
  begin.writeUInt16BE(levels + 1, 6)
  begin.writeUInt16BE(1, 8)
  begin.writeUIntBE(body.length, 12, 3)
  return Buffer.concat([begin, body])
}

describe("cells of TON", () => {
  it("are read, hashed and written once, however many others refer to them", () => {
    const root = shared(300)
    const read = Option.getOrThrow(TonCells.fromBoc(root.toBoc({ crc32: false }).toString("base64")))
    assert.deepStrictEqual(TonCells.hash(read), root.hash())
    const written = Buffer.from(TonCells.toBoc(read), "base64")
    assert.isBelow(written.length, 10_000)
    assert.deepStrictEqual(Cell.fromBoc(written)[0]?.hash(), root.hash())
  })

  it("that are shared by others of different depth are written behind all of them", () => {
    const leaf = beginCell().storeUint(1, 8).endCell()
    const middle = beginCell().storeRef(leaf).storeUint(2, 8).endCell()
    const root = beginCell().storeRef(leaf).storeRef(middle).storeRef(leaf).endCell()
    const read = Option.getOrThrow(TonCells.fromBoc(root.toBoc({ crc32: false }).toString("base64")))
    assert.deepStrictEqual(Cell.fromBoc(Buffer.from(TonCells.toBoc(read), "base64"))[0]?.hash(), root.hash())
    assert.isTrue(Option.isSome(TonCells.fromBoc(TonCells.toBoc(read))))
  })

  it("are refused where they nest deeper than the network allows", () => {
    assert.isTrue(Option.isSome(TonCells.fromBoc(chain(1_024).toString("base64"))))
    assert.isTrue(Option.isNone(TonCells.fromBoc(chain(1_025).toString("base64"))))
  })
})
