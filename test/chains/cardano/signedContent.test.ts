import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { parse } from "../../../src/chains/cardano/CardanoTransaction.ts"

// Bodies in CBOR with an input, an output of 5 ADA and a fee.

const input = `0081825820${"11".repeat(32)}01`
const address = `581d61${"22".repeat(28)}`
const output = `a200${address}011a004c4b40`
const fee = "021a00029810"

const contentOf = (entries: ReadonlyArray<string>) =>
  Either.getOrThrow(parse(`84a${entries.length}${entries.join("")}a0f5f6`)).content()
const withOutput = (text: string) => contentOf([input, `0181${text}`, fee])
const withKey = (entry: string) => contentOf([input, `0181${output}`, fee, entry])

describe("the body of a cardano transaction", () => {
  it("moves nothing besides its outputs with keys that are known to be harmless", () => {
    for (const entry of ["03190001", "0801", `075820${"33".repeat(32)}`, "0f01", "111903e8", "1280", "15190001"])
      assert.deepStrictEqual(Object.keys(withKey(entry).unknown), ["from"], entry)
  })

  it("is incomplete with a donation, proposals or a key that is not known", () => {
    const reasons = [
      ["161b000000d18c2e2800", "it donates 900000000000 to the treasury, in base units"],
      ["1480", "it has proposals, which take deposits"],
      ["1817a0", "its body has fields that are not read"],
      ["06a0", "its body has fields that are not read"],
      ["6161a0", "its body has fields that are not read"]
    ] as const
    for (const [entry, reason] of reasons) assert.strictEqual(withKey(entry).unknown.amounts, reason, entry)
  })

  it("has no amount for an output that is not read, and says so", () => {
    assert.lengthOf(withOutput(output).payments, 1)
    const [policy, assets] = [`581c${"44".repeat(28)}`, "it has outputs that are not read"]
    for (const text of ["00", `a100${address}`, `a200${address}0120`, `a200${address}01f6`, "a20000010a"])
      assert.strictEqual(withOutput(text).unknown.amounts, assets, text)
    for (const value of [`8205a1${policy}00`, `8205a1${policy}a14161f6`, "820500", "8105"])
      assert.strictEqual(withOutput(`a200${address}01${value}`).unknown.amounts, assets, value)
    assert.deepStrictEqual(withOutput(`a200${address}01f6`).payments, [])
    assert.notProperty(withOutput(`a200${address}018205a1${policy}a1416107`).unknown, "amounts")
    assert.strictEqual(contentOf([input, "0100", fee]).unknown.amounts, assets)
  })
})
