import { assert, describe, it } from "@effect/vitest"
import { exportsOf, fileName } from "../../src/page/history/exports.ts"
import type { AddressHistory } from "../../src/page/history/histories.ts"
import { basisOf, columnsOf, fieldOf, levelsOf, missingIn, type NetworkFees } from "../../src/page/network/fees.ts"
import { inCurrency, rateOf } from "../../src/page/network/rates.ts"
import { factsOf } from "../../src/page/network/signing.ts"
import { duration } from "../../src/page/text/format.ts"

const level = (more: object) => ({
  seconds: 12,
  transferFee: "1",
  transferFeeBaseUnits: "1",
  transferFeeUsd: "2",
  ...more
})

const fees = (levels: ReadonlyArray<object>, basis: object = {}): NetworkFees => {
  const [slow, standard, fast] = levels.map(level)
  return { levels: { slow, standard, fast }, basis } as unknown as NetworkFees
}

describe("the fees of a network", () => {
  it("have readable names and units, derived from the field names of any network", () => {
    const texts = Object.entries({
      maxFeePerGasWei: "2100000000",
      feeWei: "84213",
      computeUnitPriceMicroLamports: "1000",
      baseFeeLamports: "5000",
      satPerVbyte: "12.5",
      gasPriceNanoton: "400",
      transferVbytes: 141,
      eip1559: false,
      tipPlanck: null,
      queuedTransactions: "1e3"
    }).map(([name, value]) => Object.values(fieldOf(name, value)))
    assert.deepStrictEqual(texts, [
      ["Max fee per gas", "2.1 gwei"],
      ["Fee", "84,213 wei"],
      ["Compute unit price", "1,000 micro lamports"],
      ["Base fee", "5,000 lamports"],
      ["Sat per vbyte", "12.5"],
      ["Gas price", "400 nanoton"],
      ["Transfer vbytes", "141"],
      ["EIP-1559", "no"],
      ["Tip", null],
      ["Queued transactions", "not a number"]
    ])
  })

  it("have three significant digits at each level, and are exact in the table", () => {
    const wei = { maxFeePerGasWei: "1250560780" }
    const [, standard] = levelsOf(fees([wei, wei, wei]))
    assert.deepStrictEqual([...(standard?.rates ?? [])], [["Max fee per gas", "1.25 gwei"]])
    assert.deepStrictEqual([...(standard?.exact ?? [])], [["Max fee per gas", "1.25056078 gwei"]])
  })

  it("omit rates that the network does not have, and keep rates that could not be read", () => {
    const legacy = [1, 2, 3].map((price) => ({ maxFeePerGasWei: null, gasPriceWei: String(price) }))
    assert.deepStrictEqual(columnsOf(levelsOf(fees(legacy))), ["Gas price"])
    const [first = {}, ...others] = legacy
    const unread = levelsOf(fees([{ ...first, gasPriceWei: null, error: "timed out" }, ...others]))
    assert.deepStrictEqual(columnsOf(unread), ["Max fee per gas", "Gas price"])
    assert.deepStrictEqual(
      unread.map(({ name, rates }) => [name, rates.get("Gas price")]),
      [
        ["slow", null],
        ["standard", "2 wei"],
        ["fast", "3 wei"]
      ]
    )
    assert.isUndefined(missingIn(unread))
    const none = { transferFee: null, gasPriceWei: null, error: "timed out", errorCode: "timeout" }
    assert.strictEqual(missingIn(levelsOf(fees([none, none, none])))?.errorCode, "timeout")
    assert.isUndefined(missingIn(levelsOf(fees([none, none, { ...none, error: "other" }]))))
    const l1Fee = { feeWei: null, transactionBytes: 47, error: "timed out", errorCode: "timeout" }
    assert.deepStrictEqual(basisOf(fees([{}, {}, {}], { transferGas: "21000", baseFeePerGasWei: null, l1Fee })), [
      { title: "Transfer gas", text: "21,000" },
      { title: "L1 fee: fee", text: null, error: "timed out" },
      { title: "L1 fee: transaction bytes", text: "47", error: "timed out" }
    ])
  })

  it("are converted to the selected currency if its rate is known", () => {
    const rates = [
      { currency: "eur", perUsd: 0.5 },
      { currency: "chf", perUsd: null, error: "not available" }
    ] as unknown as Parameters<typeof rateOf>[1]
    assert.deepStrictEqual(rateOf("USD", []), { perUsd: 1, error: undefined })
    assert.deepStrictEqual(rateOf("EUR", rates), { perUsd: 0.5, error: undefined })
    assert.deepStrictEqual(rateOf("CHF", rates), { perUsd: null, error: "not available" })
    assert.deepStrictEqual(rateOf("XAU", rates), { perUsd: null, error: undefined })
    assert.strictEqual(inCurrency("0.0000000000000000000012345", 1), "0.0000000000000000000012345")
    assert.strictEqual(inCurrency("0.0000002", 0.5), "0.0000001")
    assert.deepStrictEqual([1.2, 119, 1_200, 14_400].map(duration), ["1.2 sec", "119 sec", "20 minutes", "4 hours"])
  })
})

describe("the data for signing", () => {
  it("is listed member by member, with the first entries of lists", () => {
    const { facts, isCut } = factsOf({ family: "x", nonce: 0, none: null, coins: [{ id: "a" }, { id: "b" }] })
    assert.deepStrictEqual(
      facts.map(({ name, text }) => `${name}: ${text}`),
      ["family: x", "nonce: 0", "none: unknown or none", "coins: 2 entries", "coins[0].id: a", "coins[1].id: b"]
    )
    assert.isFalse(isCut)
    assert.deepStrictEqual(factsOf({}), { facts: [], isCut: false })
  })

  it("is limited in count, length and depth, and has no invisible characters", () => {
    const many = factsOf(
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, "x".repeat(10_000)]))
    )
    assert.isTrue(many.isCut)
    assert.lengthOf(many.facts, 60)
    assert.isTrue(many.facts.every(({ text }) => text.length <= 201))
    const list = factsOf({ list: [1, 2, 3, 4] })
    assert.deepStrictEqual([list.facts.length, list.isCut], [4, true])
    let deep: unknown = "x"
    for (let depth = 0; depth < 10_000; depth++) deep = { deep }
    assert.deepStrictEqual(factsOf(deep), { facts: [], isCut: true })
    assert.deepStrictEqual(factsOf({ "\u202ea": "b\u200b" }).facts, [{ name: "a", text: "b" }])
  })
})

describe("the export files of histories", () => {
  const history = (address: string) => ({ network: "a", address }) as AddressHistory

  it("are one file, or several if the URL would be too long", () => {
    assert.deepStrictEqual(exportsOf([]), [])
    assert.deepStrictEqual(exportsOf([history("0x1"), history("0x2")]), [{ a: ["0x1", "0x2"] }])
    const all = Array.from({ length: 500 }, (_, index) => `${"b".repeat(60)}${index}`)
    const parts = exportsOf(all.map(history))
    assert.deepStrictEqual(
      parts.flatMap(({ a = [] }) => a),
      all
    )
    assert.isTrue(parts.every((part) => encodeURIComponent(JSON.stringify(part)).length < 8_000))
    assert.deepStrictEqual([fileName("csv", 0, 1), fileName("ndjson", 1, 2)], ["history.csv", "history-2.ndjson"])
  })
})
