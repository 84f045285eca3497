import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { encodeFunctionData, numberToHex, parseAbi } from "viem/utils"
import { decodeQuantity, decodeWord, encodeBalanceOf } from "../../../src/chains/evm/multicall.ts"

const uint256 = FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe("a single balance call", () => {
  it("is encoded like in viem", () => {
    const holder = "0xcA11bde05977b3631167028862bE2a173976CA11"
    const abi = parseAbi(["function balanceOf(address) view returns (uint256)"])
    assert.strictEqual(encodeBalanceOf(holder).toLowerCase(), encodeFunctionData({ abi, args: [holder] }))
  })

  it.prop("decodes a word and a quantity exactly", [uint256], ([value]) => {
    assert.deepStrictEqual(decodeWord(numberToHex(value, { size: 32 })), Option.some(value))
    assert.deepStrictEqual(decodeQuantity(numberToHex(value)), Option.some(value))
  })

  it("decodes the first word of a longer response", () => {
    for (const size of [33, 64, 1_024])
      assert.strictEqual(Option.getOrUndefined(decodeWord(`0x${"7".padStart(64, "0")}${"01".repeat(size - 32)}`)), 7n)
  })

  it("decodes a word only from 32 to 1,024 whole bytes", () => {
    for (const hex of [
      "",
      "0x",
      "0x0",
      `0x${"0".repeat(62)}`,
      `0x${"0".repeat(65)}`,
      `0x${"00".repeat(1_025)}`,
      "1".repeat(66),
      `0x${" ".repeat(64)}`
    ]) {
      assert.deepStrictEqual(decodeWord(hex), Option.none())
    }
  })

  it("decodes zero as a quantity, but not an empty or malformed text", () => {
    assert.deepStrictEqual(decodeQuantity("0x0"), Option.some(0n))
    for (const hex of ["", "0x", "0", "12", "0x-1", "0xg", "0x ", `0x1${"0".repeat(64)}`]) {
      assert.deepStrictEqual(decodeQuantity(hex), Option.none())
    }
  })
})
