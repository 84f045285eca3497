import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { encodeAbiParameters, numberToHex, stringToHex } from "viem/utils"
import { decodeText } from "../../../../src/chains/evm/contracts/text.ts"

const abi = (text: string) => encodeAbiParameters([{ type: "string" }], [text])
const decoded = (hex: string) => Option.getOrUndefined(decodeText(hex))

describe("text of a contract", () => {
  it("is a string of ABI, with all its characters", () => {
    for (const text of ["", "USD Coin", "USD\u0422", "\u202Eevil", "\uFEFFx", "😀".repeat(64), "a".repeat(256)])
      assert.strictEqual(decoded(abi(text)), text)
  })

  it("is 32 bytes of an old token, without the zeros that fill them", () => {
    assert.strictEqual(decoded(stringToHex("MKR", { size: 32 })), "MKR")
    assert.strictEqual(decoded(stringToHex("a".repeat(32))), "a".repeat(32))
    assert.strictEqual(decoded(`0x${"0".repeat(64)}`), "")
  })

  it("ends before zeros that fill it", () => {
    assert.strictEqual(decoded(abi("abc\0\0")), "abc")
  })

  it("is missing for empty data, numbers, longer texts and positions outside of the data", () => {
    const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2)
    for (const hex of [
      "0x",
      "0x00",
      numberToHex(18, { size: 32 }),
      abi("a".repeat(257)),
      abi("😀".repeat(65)),
      abi("abcdef").slice(0, -64),
      `0x${word(2n ** 256n - 1n)}${word(0n)}`,
      `0x${word(32n)}${word(2n ** 255n)}`,
      `0x${word(64n)}${word(1n)}`,
      `0x${"zz".repeat(32)}`
    ])
      assert.isUndefined(decoded(hex), hex)
  })

  it("has U+FFFD for bytes that are no UTF-8", () => {
    assert.strictEqual(decoded(`0x61ff62${"00".repeat(29)}`), "a\uFFFDb")
  })
})
