import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { createBase58check } from "@scure/base"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"

const base58check = createBase58check(sha256)
const Account = Schema.Uint8ArrayFromSelf.pipe(Schema.filter((bytes) => bytes.length === 20)).annotations({
  arbitrary: () => (fc) => fc.uint8Array({ minLength: 20, maxLength: 20 })
})
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const problem = (text: string) => Either.getOrThrow(Either.flip(TronAddress.parse(text)))

describe("a Tron address", () => {
  it("is the same in base58 and in hex", () => {
    for (const [base58, hex] of [
      ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"],
      ["TEB39Rt69QkgD1BKhqaRNqGxfQzCarkRCb", "412e1d447fa4169390cf5f5b3d12d380decfbfe20f"],
      ["TFFriedwRtWdFuzerDDtkoQTZ29smDZ1MB", "4139fec4d95bb59f45a727f9234020adaf2cec9e20"],
      ["T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", `41${"0".repeat(40)}`]
    ] as const) {
      for (const text of [base58, hex, hex.toUpperCase(), `0x${hex}`, `0x${hex.toUpperCase()}`])
        assert.deepStrictEqual(TronAddress.parse(text), Either.right(base58))
      assert.strictEqual(TronAddress.toEvm(base58), `0x${hex.slice(2)}`)
    }
  })

  it.prop("has one canonical form for every spelling", [Account], ([account]) => {
    const bytes = Uint8Array.of(0x41, ...account)
    const base58 = base58check.encode(bytes)
    for (const text of [base58, hexOf(bytes), `0x${hexOf(bytes)}`, hexOf(bytes).toUpperCase()])
      assert.deepStrictEqual(TronAddress.parse(text), Either.right(base58))
    assert.strictEqual(TronAddress.toEvm(base58), `0x${hexOf(account)}`)
  })

  it.prop("is rejected with a letter that is changed, missing, added or in another case", [Account], ([account]) => {
    const base58 = base58check.encode(Uint8Array.of(0x41, ...account))
    for (let at = 0; at < base58.length; at++) {
      const letter = base58.charAt(at)
      const other = letter === "2" ? "3" : "2"
      const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      for (const put of [other, "", `${letter}2`, ...(swapped === letter ? [] : [swapped])])
        assert.isTrue(Either.isLeft(TronAddress.parse(`${base58.slice(0, at)}${put}${base58.slice(at + 1)}`)))
    }
    assert.isTrue(Either.isLeft(TronAddress.parse(base58.toLowerCase())))
  })

  it.prop("of another network is rejected", [Account, Schema.Int.pipe(Schema.between(0, 255))], ([account, prefix]) => {
    if (prefix === 0x41) return
    const bytes = Uint8Array.of(prefix, ...account)
    for (const text of [base58check.encode(bytes), hexOf(bytes)]) assert.match(problem(text), /\S/)
  })

  it("is rejected with an explanation if it is malformed", () => {
    assert.match(problem("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T"), /checksum/)
    assert.match(problem("0xa614f803b6fd780986a42c78ec9c7f77e6ded13c"), /Ethereum/)
    assert.match(problem("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), /Tron's main network/)
    assert.match(problem(base58check.encode(Uint8Array.of(0xa0, ...new Uint8Array(20)))), /Tron's main network/)
    for (const text of ["", "T", "a614f803b6fd780986a42c78ec9c7f77e6ded13c", " TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"])
      assert.match(problem(text), /T and 33 more/)
  })
})
