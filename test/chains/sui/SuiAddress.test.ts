import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { canonical, sui } from "../../../src/chains/sui/CoinType.ts"
import { parse, parseWithSystem } from "../../../src/chains/sui/SuiAddress.ts"
import { long } from "./hosts.ts"

const hex = (length: number) =>
  FastCheck.array(FastCheck.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length }).map(
    (digits) => digits.join("")
  )

describe("a Sui address", () => {
  it.prop("has one canonical form for upper and lower case", [hex(64)], ([digits]) => {
    const address = Either.right(`0x${digits}`)
    for (const text of [`0x${digits}`, `0x${digits.toUpperCase()}`, `0X${digits}`]) {
      assert.deepStrictEqual(parse(text), address)
      assert.deepStrictEqual(parseWithSystem(text), address)
    }
  })

  it.prop(
    "is refused if it does not have 64 digits",
    [FastCheck.integer({ min: 5, max: 90 }).chain(hex)],
    ([digits]) => {
      for (const read of [parse, parseWithSystem]) {
        assert.strictEqual(Either.isRight(read(`0x${digits}`)), digits.length === 64)
        assert.isTrue(Either.isLeft(read(digits)))
      }
    }
  )

  it("is refused if digits are missing, even if it starts with zeros: padding would make it another address", () => {
    const whole = `0x00${"7".repeat(62)}`
    assert.deepStrictEqual(parse(whole), Either.right(whole))
    for (const cut of [whole.slice(0, -1), whole.slice(0, -2), `0x${whole.slice(4)}`, `0x${whole.slice(3)}`])
      assert.match(Either.getOrThrow(Either.flip(parse(cut))), /64 hexadecimal digits after 0x, not 6[23]: /)
  })

  it("is refused without 0x, and the error says so", () => {
    assert.match(Either.getOrThrow(Either.flip(parse("7".repeat(64)))), /starts with 0x/)
  })

  it("may be the short address of a system package or object only in calls to nodes", () => {
    for (const text of ["0x0", "0x2", "0x5", "0xdee9"]) {
      assert.isTrue(Either.isLeft(parse(text)))
      assert.deepStrictEqual(parseWithSystem(text), Either.right(long(text.slice(2))))
    }
  })

  it("is refused if it is an EVM address, and the error names its length", () => {
    assert.match(Either.getOrThrow(Either.flip(parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"))), /64 .* not 40/)
  })
})

describe("a Sui coin type", () => {
  const spelled = (text: string) => Option.getOrUndefined(canonical(text))

  it("has one canonical form in which every address has its full length", () => {
    for (const text of ["0x2::sui::SUI", "0x02::sui::SUI", "0X2::sui::SUI", sui, " 0x2 :: sui :: SUI "])
      assert.strictEqual(spelled(text), sui, text)
    const nested = `${long("a")}::lp::LP<${sui},vector<${long("bc")}::b::B<u64,${sui}>>>`
    assert.strictEqual(spelled("0xA::lp::LP<0x2::sui::SUI, vector<0xBC::b::B<u64, 0x2::sui::SUI>>>"), nested)
    assert.strictEqual(spelled(nested), nested)
  })

  it("preserves the case of its names, because names that differ in case are different coins", () => {
    assert.notStrictEqual(spelled("0x2::sui::Sui"), spelled("0x2::sui::SUI"))
  })

  it("is refused if it is malformed, however deep or long it is", () => {
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
    for (const text of malformed) assert.isUndefined(spelled(text), text.slice(0, 80))
  })
})
