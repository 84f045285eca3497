import { assert, describe, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Amount from "../../src/domain/Amount.ts"

const baseUnits = FastCheck.oneof(
  FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
  // Round numbers, for trailing zeros.
  FastCheck.tuple(FastCheck.bigInt({ min: -999n, max: 999n }), FastCheck.integer({ min: 0, max: 80 })).map(
    ([digits, zeros]) => digits * 10n ** BigInt(zeros)
  )
)
const decimals = FastCheck.integer({ min: 0, max: 255 })

/** A plain decimal: no exponent, no leading or trailing zeros, digits on both sides of a point. */
const plain = /^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/

/** Converts a decimal text to base units; throws if it has too many decimals. */
const parse = (text: string, decimals: number): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  if (fraction.length > decimals) throw new Error(`${text} has more than ${decimals} decimals`)
  return BigInt(whole.replace("-", "") + fraction.padEnd(decimals, "0")) * (text.startsWith("-") ? -1n : 1n)
}

describe("an amount", () => {
  it.prop("is formatted as a plain decimal that parses back exactly", [baseUnits, decimals], ([units, places]) => {
    const text = Amount.format(units, places)
    assert.match(text, plain)
    assert.strictEqual(parse(text, places), units)
  })

  it.prop("is formatted as its exact decimal value", [baseUnits, decimals], ([units, places]) => {
    const exact = BigDecimal.make(units, places)
    assert.isTrue(BigDecimal.equals(BigDecimal.unsafeFromString(Amount.format(units, places)), exact))
    assert.strictEqual(Amount.plain(exact), Amount.format(units, places))
  })

  for (const [units, places, text] of [
    [0n, 0, "0"],
    [0n, 18, "0"],
    [0n, 255, "0"],
    [1n, 0, "1"],
    [9n, 6, "0.000009"],
    [1n, 18, "0.000000000000000001"],
    [1_500_000_000_000_000_000n, 18, "1.5"],
    [6_169_011_805_555_555_325n, 18, "6.169011805555555325"],
    [154_445_575_036_894_716_972_460_565n, 18, "154445575.036894716972460565"],
    [100n, 0, "100"],
    [100n, 2, "1"],
    [1n, 255, `0.${"0".repeat(254)}1`],
    [2n ** 256n - 1n, 0, "115792089237316195423570985008687907853269984665640564039457584007913129639935"]
  ] as const)
    it(`of ${units} base units with ${places} decimals is formatted as ${text.slice(0, 40)}`, () => {
      assert.strictEqual(Amount.format(units, places), text)
    })
})

describe("a decimal", () => {
  it.prop(
    "is formatted without an exponent, even with many zeros",
    [baseUnits, FastCheck.integer({ min: -400, max: 400 })],
    ([value, scale]) => {
      const text = Amount.plain(BigDecimal.make(value, scale))
      assert.match(text, plain)
      assert.isTrue(BigDecimal.equals(BigDecimal.unsafeFromString(text), BigDecimal.make(value, scale)))
    }
  )
})

describe("a price", () => {
  const usd = FastCheck.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true })

  it.prop("is formatted as exactly the source's number", [usd], ([number]) => {
    const price = Option.getOrThrow(Amount.price(number))
    assert.match(Amount.plain(price), plain)
    assert.strictEqual(Number(Amount.plain(price)), number)
  })

  it("is rejected if the number is not positive and finite", () => {
    for (const number of [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      assert.deepStrictEqual(Amount.price(number), Option.none())
  })

  it("is formatted with all its digits, however small or large", () => {
    const written = (number: number) => Option.getOrThrow(Option.map(Amount.price(number), Amount.plain))
    assert.strictEqual(written(1.39852e-10), "0.000000000139852")
    assert.strictEqual(written(5.58195e-7), "0.000000558195")
    assert.strictEqual(written(20.0), "20")
    assert.strictEqual(written(13_146_300.613692524), "13146300.613692524")
    assert.strictEqual(written(1.157920892373162e77), `1157920892373162${"0".repeat(62)}`)
    assert.strictEqual(written(5e-324), `0.${"0".repeat(323)}5`)
  })
})

describe("the value of an amount", () => {
  const usd = FastCheck.double({ min: 1e-12, max: 1e9, noNaN: true })

  it.prop("is the exact product of amount and price", [baseUnits, decimals, usd], ([units, places, number]) => {
    const price = Option.getOrThrow(Amount.price(number))
    const value = Amount.value(units, places, price)
    // Both sides as whole numbers: value × 10^(places + scale) = units × price × 10^scale.
    const scaled = BigDecimal.scale(value, places + price.scale)
    assert.isTrue(BigDecimal.equals(scaled, value))
    assert.strictEqual(scaled.value, units * price.value)
    assert.match(Amount.plain(value), plain)
  })

  it("is formatted with all its digits", () => {
    const price = Option.getOrThrow(Amount.price(0.1))
    assert.strictEqual(Amount.plain(Amount.value(3n, 1, price)), "0.03")
    assert.strictEqual(
      Amount.plain(Amount.value(6_169_011_805_555_555_325n, 18, Option.getOrThrow(Amount.price(0.99972)))),
      "6.167284482249999769509"
    )
    assert.strictEqual(Amount.plain(Amount.value(0n, 18, price)), "0")
  })
})
