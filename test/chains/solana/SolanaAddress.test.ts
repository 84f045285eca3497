import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { parse } from "../../../src/chains/solana/SolanaAddress.ts"

const bytes = (length: number) => FastCheck.uint8Array({ minLength: length, maxLength: length })

describe("a Solana address", () => {
  it.prop("is base58 of 32 bytes, whose only spelling is canonical", [bytes(32)], ([key]) => {
    const text = base58.encode(key)
    assert.deepStrictEqual(parse(text), Either.right(text))
  })

  it.prop(
    "is refused if it is longer or shorter",
    [
      FastCheck.integer({ min: 0, max: 70 })
        .filter((n) => n !== 32)
        .chain(bytes)
    ],
    ([key]) => {
      assert.isTrue(Either.isLeft(parse(base58.encode(key))))
    }
  )

  it("may start with zero bytes, each of which is a digit", () => {
    for (const text of ["11111111111111111111111111111111", "So11111111111111111111111111111111111111112"])
      assert.deepStrictEqual(parse(text), Either.right(text))
    for (const ones of [31, 33]) assert.isTrue(Either.isLeft(parse("1".repeat(ones))))
  })

  it("is refused with an explanation", () => {
    assert.match(Either.getOrThrow(Either.flip(parse("0xabc"))), /base58/)
    assert.match(Either.getOrThrow(Either.flip(parse("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"))), /exactly 32 bytes/)
  })
})
