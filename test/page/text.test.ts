import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { addressTexts } from "../../src/page/addresses/accounts.ts"
import { fragmentOf, routeOf } from "../../src/page/state/route.ts"
import { de } from "../../src/page/text/de.ts"
import { sum } from "../../src/page/text/decimal.ts"
import { en } from "../../src/page/text/en.ts"
import { es } from "../../src/page/text/es.ts"
import {
  age,
  alignedAmounts,
  amount,
  duration,
  listedMoney,
  listedPrice,
  money,
  percent,
  price,
  rough,
  roughAmount,
  sanitized,
  share,
  shortened,
  signedAmount,
  smallMoney
} from "../../src/page/text/format.ts"
import { fr } from "../../src/page/text/fr.ts"
import { t } from "../../src/page/text/language.ts"
import { transactionEn } from "../../src/page/text/transaction/en.ts"
import { unlistedEn } from "../../src/page/text/unlisted/en.ts"

describe("the formatting of the page", () => {
  it("sums decimals exactly", () => {
    assert.strictEqual(sum([]), "0")
    assert.strictEqual(sum(["0.1", "0.2", "1000000000000000000000", "x", "1e5"]), "1000000000000000000000.3")
    assert.strictEqual(sum(["-0.5", "0.25"]), "-0.25")
    const units = FastCheck.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
    const written = (value: bigint) => {
      const digits = String(value < 0n ? -value : value).padStart(25, "0")
      return `${value < 0n ? "-" : ""}${digits.slice(0, -24)}.${digits.slice(-24)}`
    }
    FastCheck.assert(
      FastCheck.property(FastCheck.array(units, { maxLength: 8 }), (values) => {
        const total = values.reduce((all, value) => all + value, 0n)
        assert.strictEqual(sum([sum(values.map(written)), written(-total)]), "0")
      }),
      { numRuns: 50 }
    )
  })

  it("rounds for display, never to zero, and rejects texts that are not numbers", () => {
    assert.strictEqual(money("1234.565000000000000000001", "USD"), "$1,234.57")
    assert.strictEqual(money("9007199254740993.01", "USD"), "$9,007,199,254,740,993.01")
    assert.strictEqual(money("0.0000001", "USD"), "< $0.01")
    assert.strictEqual(money("0", "EUR"), "€0.00")
    assert.strictEqual(money("0.3", "JPY"), "< ¥1")
    assert.strictEqual(money("0.6", "JPY"), "¥1")
    assert.strictEqual(money("0.003", "KRW"), "< ₩1")
    assert.strictEqual(money("0.004", "KWD"), "KWD\u00a00.004")
    assert.strictEqual(money("0.0004", "KWD"), "< KWD\u00a00.001")
    assert.strictEqual(price("0.00001234567", "USD"), "$0.00001235")
    assert.strictEqual(price("1.00365", "USD"), "$1.0037")
    assert.strictEqual(amount("0.000000001"), "< 0.00000001")
    assert.strictEqual(amount("18885.881122541"), "18,885.88112254")
    assert.strictEqual(percent(-0.5), "-0.50%")
    for (const text of ["", "NaN", "1e9", "<b>", "0x1"]) {
      assert.strictEqual(money(text, "USD"), "not a number")
      assert.strictEqual(amount(text), "not a number")
    }
    const signed = ["0.000000001", "-0.000000001", "1.5", "-2430", "0", "1e9"].map(signedAmount)
    assert.deepStrictEqual(signed, ["< +0.00000001", "< −0.00000001", "+1.5", "−2,430", "0", "not a number"])
    assert.strictEqual(age(0, 7_300_000), "2 hours ago")
    assert.strictEqual(age(500, 700), "now")
    assert.strictEqual(age(0, 47 * 3_600_000), "1 day ago")
    assert.strictEqual(t("showMore", { count: 999, rest: 1000 }), "Show 999 more of 1,000")
    assert.strictEqual(shortened("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"), "0xd8dA6B…A96045")
  })

  it("writes the numbers of a column with equal digits, and those of any size in few letters", () => {
    assert.deepStrictEqual(
      ["0.235", "0.1566", "0.99996", "1", "12.3456", "55503.59"].map((text) => price(text, "USD")),
      ["$0.2350", "$0.1566", "$1.00", "$1.00", "$12.35", "$55,503.59"]
    )
    assert.deepStrictEqual([price("1.78861", "USD"), listedPrice("1.78861", "USD")], ["$1.7886", "$1.79"])
    assert.deepStrictEqual(
      ["0.03037", "0.000004572", "0.1815", "0"].map((text) => smallMoney(text, "USD")),
      ["$0.0304", "< $0.0001", "$0.1815", "$0.0000"]
    )
    assert.deepStrictEqual([0.07, 0.107, 1].map(share), ["7.0%", "10.7%", "100.0%"])
    assert.deepStrictEqual(["1.25056078", "26", "0.000123456", "x"].map(rough), [
      "1.25",
      "26",
      "0.000123",
      "not a number"
    ])
    assert.deepStrictEqual([12, 600, 3_600, 5_400, 14_400].map(duration), [
      "12 sec",
      "10 minutes",
      "1 hour",
      "1.5 hours",
      "4 hours"
    ])
    assert.deepStrictEqual(alignedAmounts(["2.961", "0.0949", "1", "0"]), ["2.9610", "0.0949", "1.0000", "0.0000"])
    assert.deepStrictEqual(alignedAmounts(["3", "12"]), ["3", "12"])
    assert.deepStrictEqual(alignedAmounts(["1", "0.000000000001", "x"]), ["1.000000", "< 0.00000001", "not a number"])
    assert.deepStrictEqual(alignedAmounts(["2500000", "0.5"]), ["2.5M", "0.5"])
    // Cut: no amount reads as more than is held.
    assert.deepStrictEqual(
      ["999.6", "0.9996", "999999.6"].map((text) => alignedAmounts([text])),
      [["999"], ["0.999"], ["999,999"]]
    )
    assert.deepStrictEqual(alignedAmounts(["1", "0.00000099"]), ["1.000000", "0.00000099"])
    assert.deepStrictEqual(
      ["0.00000099", "0.00012399", "0.9999999", "1.99999", "9999999", "0.000000009"].map(roughAmount),
      ["0.00000099", "0.000123", "0.999999", "1.9999", "9.999M", "< 0.00000001"]
    )
    assert.strictEqual(signedAmount("-0.00000099"), "−0.00000099")
    assert.strictEqual(listedMoney("1234.5", "USD"), "$1,234.50")
    assert.strictEqual(listedMoney("1234567890123", "USD"), "$1.235T")
    assert.strictEqual(listedMoney(`1${"0".repeat(30)}`, "USD"), "$1E30")
    assert.strictEqual(roughAmount(`1${"0".repeat(30)}`), "1E30")
    assert.strictEqual(listedMoney("x", "USD"), "not a number")
  })

  it("sanitizes untrusted texts: removes invisible and bidirectional characters and limits the length", () => {
    assert.strictEqual(sanitized("US\u200bDC\u202e\u0000 \u2066x"), "USDC x")
    assert.strictEqual(sanitized("a".repeat(1_000_000)).length, 41)
  })
})

describe("the texts of the page", () => {
  it("have the same values and plural forms in every language", () => {
    const shape = (text: string) => ({
      forms: text.split("|").length,
      values: [...new Set(text.match(/\{\w+\}/g))].sort()
    })
    for (const texts of [de, es, fr])
      assert.deepStrictEqual(
        Object.entries(texts).map(([key, text]) => [key, shape(text)]),
        Object.entries({ ...en, ...transactionEn, ...unlistedEn }).map(([key, text]) => [key, shape(text)])
      )
    assert.strictEqual(t("holdingsCount", { count: 1 }), "1 holding")
    assert.strictEqual(t("holdingsCount", { count: 1200 }), "1,200 holdings")
    assert.strictEqual(t("noNetwork", { name: "{name}$&" }), "The network {name}$& does not exist.")
  })
})

describe("the routes of the page", () => {
  it("convert to views with any items and back", () => {
    assert.deepStrictEqual(routeOf(""), { view: "portfolio", items: [] })
    assert.deepStrictEqual(routeOf("#/0x1,bitcoincash:q"), { view: "portfolio", items: ["0x1", "bitcoincash:q"] })
    assert.deepStrictEqual(routeOf("#/history/0x1"), { view: "history", items: ["0x1"] })
    assert.deepStrictEqual(routeOf("#/network/base,0x1"), { view: "network", items: ["base", "0x1"] })
    assert.deepStrictEqual(routeOf("#/status"), { view: "status", items: [] })
    assert.deepStrictEqual(routeOf("#/tx/ton/a%2Fb+c="), { view: "tx", items: ["ton", "a/b+c="] })
    assert.deepStrictEqual(routeOf("#/%E0%A4%A"), { view: "portfolio", items: ["%E0%A4%A"] })
    const word = FastCheck.string({ minLength: 1 }).map((text) => `x${text.trim()}`)
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(
          "portfolio" as const,
          "history" as const,
          "coin" as const,
          "network" as const,
          "status" as const,
          "tx" as const
        ),
        FastCheck.array(word, { maxLength: 4 }),
        (view, items) => assert.deepStrictEqual(routeOf(fragmentOf({ view, items })), { view, items })
      )
    )
  })

  it("of addresses are parsed from pasted texts with any separators", () => {
    assert.deepStrictEqual(addressTexts(" \"a\";\n'b',,[c]\ta\r\nbitcoincash:d "), ["a", "b", "c", "bitcoincash:d"])
    assert.deepStrictEqual(addressTexts(" ,; \n"), [])
  })
})
