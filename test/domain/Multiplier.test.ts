import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Multiplier from "../../src/domain/Multiplier.ts"
import { millis } from "../../src/domain/units.ts"
import { assert, describe, it } from "../support/vitest.ts"

const of = (text: string) => Option.getOrThrow(Multiplier.fromDecimal(text))

const positive = (most: bigint) => FastCheck.bigInt({ min: 1n, max: most })

describe("a multiplier", () => {
  it("multiplies stored units exactly and cuts the rest", () => {
    const rows = [
      ["1000000000", "5", "5000000000"],
      ["3", "1.0057146", "3"],
      ["700", "1.0057146", "704"],
      ["18446744073709551615", "1.005714560286254", "18552159104803863548"],
      ["9", "0.1", "0"]
    ] as const
    for (const [stored, text, shown] of rows)
      assert.strictEqual(String(Multiplier.displayed(BigInt(stored), of(text))), shown, `${stored} ${text}`)
    assert.strictEqual(Multiplier.displayed(7n, undefined), 7n)
  })

  it("is not accepted if it is zero, not a plain decimal, or beyond any real one", () => {
    for (const text of [
      "0",
      "0.000",
      "",
      "-1",
      "1e3",
      "inf",
      "NaN",
      " 1",
      "1.",
      `1${"0".repeat(25)}`,
      `0.${"0".repeat(24)}1`
    ])
      assert.isTrue(Option.isNone(Multiplier.fromDecimal(text)), text)
    for (const number of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e25])
      assert.isTrue(Option.isNone(Multiplier.fromNumber(number)), `${number}`)
    assert.isTrue(Option.isNone(Multiplier.make(0n, 1n)))
    assert.isTrue(Option.isNone(Multiplier.make(1n, 0n)))
  })

  it("is written as a plain decimal of at most 18 significant digits, cut", () => {
    const third = Option.getOrThrow(Multiplier.make(2n, 3n))
    assert.strictEqual(Multiplier.format(third), "0.666666666666666666")
    assert.strictEqual(Multiplier.format(Option.getOrThrow(Multiplier.make(2000n, 3n))), "666.666666666666666")
    assert.strictEqual(Multiplier.format(Option.getOrThrow(Multiplier.fromNumber(1e-7))), "0.0000001")
    assert.strictEqual(Multiplier.format(of("1.0057145602862540")), "1.005714560286254")
    assert.strictEqual(Multiplier.format(of("123456789012345678901234")), "123456789012345678000000")
    assert.strictEqual(Multiplier.format(of("10")), "10")
  })

  it.prop(
    "never writes more than it is, and less by one part in 10^17 at most",
    [positive(10n ** 40n), positive(10n ** 20n)],
    ([a, b]) => {
      const multiplier = Option.getOrUndefined(Multiplier.make(a, b))
      if (multiplier === undefined) return
      const text = Multiplier.format(multiplier)
      const written = of(text)
      const [exact, shown] = [a * written.denominator, written.numerator * b]
      assert.isTrue(shown <= exact && (exact - shown) * 10n ** 17n <= exact, text)
      assert.isAtMost(text.replace(".", "").replace(/^0+|0+$/g, "").length, 18)
    }
  )

  it("is left out if it is one and no other is announced", () => {
    const [one, two] = [of("1.0"), of("2")]
    const at = millis(5)
    assert.isUndefined(Multiplier.scalingOf(one))
    assert.isUndefined(Multiplier.scalingOf(one, { multiplier: of("1.00"), at }))
    assert.deepStrictEqual(Multiplier.scalingOf(two), { multiplier: two })
    const announced = Multiplier.scalingOf(one, { multiplier: two, at })
    assert.deepStrictEqual(announced, { multiplier: one, change: { multiplier: two, at } })
    assert.isUndefined(Multiplier.inForce(announced))
    assert.deepStrictEqual(Multiplier.inForce({ multiplier: two }), two)
  })
})
