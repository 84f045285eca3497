import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { parse } from "../../../src/networks/sui/address.ts"
import { canonical, sui } from "../../../src/networks/sui/coinType.ts"
import { long } from "./hosts.ts"

const hex = (length: number) =>
  FastCheck.array(FastCheck.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length }).map((one) =>
    one.join("")
  )

describe("a Sui address", () => {
  it.prop("is one for all its spellings", [hex(64)], ([digits]) => {
    const address = Either.right(`0x${digits}`)
    for (const text of [`0x${digits}`, digits, `0x${digits.toUpperCase()}`, `0X${digits}`])
      assert.deepStrictEqual(parse(text), address)
  })

  it.prop("may lack its leading zeros", [FastCheck.integer({ min: 60, max: 63 }).chain(hex)], ([digits]) => {
    assert.deepStrictEqual(parse(`0x${digits}`), Either.right(long(digits)))
  })

  it.prop("is not a part of one, or longer", [FastCheck.integer({ min: 5, max: 90 }).chain(hex)], ([digits]) => {
    assert.strictEqual(Either.isRight(parse(`0x${digits}`)), digits.length >= 60 && digits.length <= 64)
    assert.strictEqual(Either.isRight(parse(digits)), digits.length === 64)
  })

  it("of the system is a small number", () => {
    for (const text of ["0x0", "0x2", "0x5", "0xdee9"])
      assert.deepStrictEqual(parse(text), Either.right(long(text.slice(2))))
  })

  it("of an EVM network is refused with its length", () => {
    assert.match(Either.getOrThrow(Either.flip(parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"))), /64 .* not 40/)
  })
})

describe("a Sui coin type", () => {
  const one = (text: string) => Option.getOrUndefined(canonical(text))

  it("has one form, with every address in it at its full length", () => {
    for (const text of ["0x2::sui::SUI", "0x02::sui::SUI", "0X2::sui::SUI", sui, " 0x2 :: sui :: SUI "])
      assert.strictEqual(one(text), sui, text)
    const nested = `${long("a")}::lp::LP<${sui},vector<${long("bc")}::b::B<u64,${sui}>>>`
    assert.strictEqual(one("0xA::lp::LP<0x2::sui::SUI, vector<0xBC::b::B<u64, 0x2::sui::SUI>>>"), nested)
    assert.strictEqual(one(nested), nested)
  })

  it("keeps the case of its names: they are different coins", () => {
    assert.notStrictEqual(one("0x2::sui::Sui"), one("0x2::sui::SUI"))
  })

  it("is refused where it is malformed, however deep or long it is", () => {
    const malformed = [
      "",
      "0x2",
      "0x2::sui",
      "0x2::sui::",
      "0x2:sui::SUI",
      "2::sui::SUI",
      "0xg::sui::SUI",
      `0x${"0".repeat(65)}::sui::SUI`,
      "0x2::sui::SUI<",
      "0x2::sui::SUI<>",
      "0x2::sui::SUI<u64",
      "0x2::sui::SUI<u64>>",
      "0x2::sui::SUI<u64,>",
      "0x2::sui::SUI<vector>",
      "0x2::sui::SUI::X",
      "0x2::sui::1SUI",
      "u64",
      "vector<0x2::sui::SUI>",
      `${"0x2::a::A<".repeat(60)}u8${">".repeat(60)}`,
      `${"vector<".repeat(1_000)}`,
      "0x2::a::A<".repeat(100_000)
    ]
    for (const text of malformed) assert.isUndefined(one(text), text.slice(0, 80))
  })
})
