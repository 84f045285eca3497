import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { decimal } from "../../../src/chains/ripple/amount.ts"
import * as IssuedToken from "../../../src/chains/ripple/IssuedToken.ts"

const issuer = "rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De"
const rlusd = "524C555344000000000000000000000000000000"
const key = (text: string) => Either.map(IssuedToken.parse(text), IssuedToken.keyOf)
const problem = (text: string) => Either.getOrThrow(Either.flip(IssuedToken.parse(text)))

describe("an XRP Ledger token", () => {
  it("has the same key in every order, with every separator, in hex of either case and by its name", () => {
    for (const code of [rlusd, rlusd.toLowerCase(), "RLUSD"])
      for (const separator of [".", "-", "+", ":", "_", "/"])
        for (const text of [`${code}${separator}${issuer}`, `${issuer}${separator}${code}`])
          assert.deepStrictEqual(key(text), Either.right(`${issuer}.${rlusd}`))
  })

  it("has the same key by its standard code and by the long form of that code", () => {
    const long = `${"0".repeat(24)}555344${"0".repeat(10)}`
    for (const code of ["USD", long]) assert.deepStrictEqual(key(`${issuer}.${code}`), Either.right(`${issuer}.USD`))
  })

  it("has another key if its code differs in case", () => {
    const codes = ["USD", "usd", "RLUSD", "rlusd", "XRdoge"]
    assert.strictEqual(new Set(codes.map((code) => Either.getOrThrow(key(`${code}.${issuer}`)))).size, codes.length)
  })

  it("is refused without an issuer, with an invalid issuer and with an invalid code", () => {
    for (const text of [
      "",
      "RLUSD",
      issuer,
      ".",
      `${issuer}.`,
      `.${issuer}`,
      "0x8292Bb45bf1Ee4d140127049757C2E0fF06317eD"
    ])
      assert.match(problem(text), /a token is its issuer's address/)
    assert.match(problem("RLUSD.rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5DE"), /the issuer: the checksum/)
    for (const code of [
      "XRP",
      "xrp",
      "US",
      "a".repeat(21),
      "0".repeat(40),
      `${"0".repeat(24)}585250${"0".repeat(10)}`,
      "ÄÖÜ"
    ])
      assert.match(problem(`${code}.${issuer}`), /a currency code is/)
  })

  it("has the symbol that the digits of its code encode", () => {
    assert.strictEqual(IssuedToken.symbolOf(rlusd), "RLUSD")
    assert.strictEqual(IssuedToken.symbolOf("USD"), "USD")
    const liquidity = "03930D02208264E2E40EC1B0C09E4DB96EE197B1"
    assert.strictEqual(IssuedToken.symbolOf(liquidity), liquidity)
  })
})

describe("a token amount", () => {
  const of = (digits: bigint, scale = 0) => Option.some({ digits, scale })

  it("is exact with and without an exponent", () => {
    assert.deepStrictEqual(decimal("481.992867407479"), of(481_992_867_407_479n, 12))
    assert.deepStrictEqual(decimal("0.0008744482690504699"), of(8_744_482_690_504_699n, 19))
    assert.deepStrictEqual(decimal("6900000000000000e-4"), of(690_000_000_000n))
    assert.deepStrictEqual(decimal("-1.5E-3"), of(-15n, 4))
    assert.deepStrictEqual(decimal("9999999999999999e80"), of(9_999_999_999_999_999n * 10n ** 80n))
    assert.deepStrictEqual(decimal("1000000000000000e-96"), of(1n, 81))
    assert.deepStrictEqual(decimal("1e+2"), of(100n))
    for (const zero of ["0", "-0", "0.0", "0e5", "000"]) assert.deepStrictEqual(decimal(zero), of(0n))
    for (const text of ["", ".", "-", "1,5", "0x1", "NaN", "1e", "1e1000", " 1", "Infinity"])
      assert.deepStrictEqual(decimal(text), Option.none())
  })

  it.prop(
    "equals the number that was written",
    [Schema.Int.pipe(Schema.between(-(10 ** 15), 10 ** 15)), Schema.Int.pipe(Schema.between(-96, 80))],
    ([mantissa, exponent]) => {
      const { digits, scale } = Option.getOrThrow(decimal(`${mantissa}e${exponent}`))
      const shift = Math.max(0, -exponent)
      assert.isTrue(scale <= shift)
      assert.strictEqual(digits * 10n ** BigInt(shift - scale), BigInt(mantissa) * 10n ** BigInt(exponent + shift))
    }
  )
})
