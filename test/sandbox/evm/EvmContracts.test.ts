import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { Hex } from "viem"
import { decodeAbiParameters, encodeFunctionData, parseAbi } from "viem/utils"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { multicall3Address } from "../../../src/chains/evm/multicall.ts"
import * as EvmContracts from "../../../src/sandbox/evm/EvmContracts.ts"

const to = multicall3Address.toLowerCase()

const word = (value: number | string) => (typeof value === "number" ? value.toString(16) : value).padStart(64, "0")

/** An aggregate3 call with `count` entries that all point to the same call data. */
const aggregate = (count: number, callData: string): string => {
  const length = callData.length / 2
  const padded = callData.padEnd(Math.ceil(length / 32) * 64, "0")
  const tuple = [word(to.slice(2)), word(1), word(0x60), word(length), padded].join("")
  return `82ad56cb${word(0x20)}${word(count)}${word(32 * count).repeat(count)}${tuple}`
}

const call = (data: string) => EvmContracts.call(ethereum, { from: `0x${"0".repeat(40)}`, to, data: `0x${data}` }, 1n)

const results = (outcome: ReturnType<typeof call>) => {
  const type = [{ type: "tuple[]", components: [{ type: "bool" }, { type: "bytes" }] }] as const
  return (decodeAbiParameters(type, Either.getOrThrow(outcome))[0] as ReadonlyArray<readonly [boolean, Hex]>).map(
    ([success]) => success
  )
}

const native = encodeFunctionData({
  abi: parseAbi(["function getEthBalance(address) view returns (uint256)"]),
  args: [multicall3Address]
}).slice(2)

describe("the simulated Multicall3", () => {
  it("executes each of its calls, including native balances", () => {
    assert.deepStrictEqual(results(call(aggregate(300, native))), Array(300).fill(true))
  })

  it("fails nested aggregates, because their calls would multiply", () => {
    const nested = Array.from({ length: 4 }).reduce<string>((inner) => aggregate(20, inner), native)
    assert.deepStrictEqual(results(call(nested)), Array(20).fill(false))
  })

  it("reverts if its calls contain more data than a node has gas for", () => {
    assert.isTrue(Either.isLeft(call(aggregate(1_000, "00".repeat(100_000)))))
    assert.isTrue(Either.isLeft(call(aggregate(1_000, "00".repeat(10_000)))))
  })
})
