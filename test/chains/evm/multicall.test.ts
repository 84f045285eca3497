import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { type Address, type Hex, multicall3Abi } from "viem"
import { decodeFunctionData, encodeFunctionResult, numberToHex, toFunctionSelector } from "viem/utils"
import {
  decodeAggregate,
  encodeAggregate,
  encodeBalanceOf,
  multicall3Address
} from "../../../src/chains/evm/multicall.ts"

const holder: Address = "0x00000000000000000000000000000000000000AA"
const token: Address = "0x00000000000000000000000000000000000000bb"

interface Result {
  readonly success: boolean
  readonly returnData: Hex
}

const answer = (results: ReadonlyArray<Result>) =>
  encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results })

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

const entry: FastCheck.Arbitrary<{ readonly result: Result; readonly read: Option.Option<bigint> }> = FastCheck.oneof(
  FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => ({
    result: { success: true, returnData: word(value) },
    read: Option.some(value)
  })),
  FastCheck.record({ success: FastCheck.boolean(), bytes: FastCheck.integer({ min: 0, max: 100 }) })
    .filter(({ bytes, success }) => !success || bytes < 32)
    .map(({ bytes, success }) => ({
      result: { success, returnData: `0x${"01".repeat(bytes)}` as Hex },
      read: Option.none<bigint>()
    }))
)

describe("Multicall3", () => {
  it("is called for the chain, the time and balances of tokens and of the native coin, each of which may fail", () => {
    const data = encodeAggregate(
      [
        { holder, token },
        { holder, token: "native" }
      ],
      multicall3Address
    )
    const { args, functionName } = decodeFunctionData({ abi: multicall3Abi, data })
    assert.strictEqual(functionName, "aggregate3")
    assert.deepStrictEqual(args, [
      [
        { target: multicall3Address, allowFailure: true, callData: toFunctionSelector("getChainId()") },
        { target: multicall3Address, allowFailure: true, callData: toFunctionSelector("getCurrentBlockTimestamp()") },
        { target: token, allowFailure: true, callData: encodeBalanceOf(holder).toLowerCase() as Hex },
        {
          target: multicall3Address,
          allowFailure: true,
          callData: `0x4d2301cc${holder.slice(2).toLowerCase().padStart(64, "0")}`
        }
      ]
    ])
  })

  it.prop("returns one entry per call, none for less than a word", [FastCheck.array(entry)], ([entries]) => {
    const hex = answer(entries.map(({ result }) => result))
    assert.deepStrictEqual(decodeAggregate(hex, entries.length), Option.some(entries.map(({ read }) => read)))
    assert.deepStrictEqual(decodeAggregate(hex, entries.length + 1), Option.none())
  })

  it("returns no entries if it is not deployed or the response is truncated", () => {
    const hex = answer([{ success: true, returnData: word(5n) }])
    for (const wrong of ["", "0x", "0x1", word(5n), hex.slice(0, -2), hex.slice(0, -64)]) {
      assert.deepStrictEqual(decodeAggregate(wrong, 1), Option.none())
    }
  })
})
