import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Amount from "../../../src/domain/Amount.ts"
import { converted } from "../../../src/features/balances/inCurrency.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { holding, holds, network, portfolio, reading, token } from "./portfolio.ts"

const coin = token("coin", 3)
const priced = { "alpha-coin": 0.1, coin: 2.5 }
const alpha = network(holding("alpha", 12_345n, [coin, 1_500n]))

describe("balances in a currency", () => {
  it("have price and value in the currency in addition to dollars, on every route", function* () {
    const { balances, stream, token } = yield* portfolio([alpha], priced, {}, { eur: 0.8611 })
    const { rows } = yield* balances({ alpha: ["a"] }, { currency: "eur" })
    assert.deepStrictEqual(
      rows.map(({ balanceUsd, currency, price, tokenPrice, value }) => [
        tokenPrice,
        balanceUsd,
        currency,
        price,
        value
      ]),
      [
        ["0.1", "12.345", "eur", "0.08611", "10.6302795"],
        ["2.5", "3.75", "eur", "2.15275", "3.229125"]
      ]
    )
    const parts = yield* Stream.runCollect(stream({ alpha: ["a"] }, { currency: "eur" }))
    assert.deepStrictEqual([...parts][0]?.rows, rows)
    const plain = yield* balances({ alpha: ["a"] })
    assert.notProperty(plain.rows[0] ?? {}, "currency")
    assert.deepStrictEqual(
      plain.rows,
      rows.map(({ currency: _, price: __, value: ___, ...row }) => row)
    )
    assert.isTrue(Option.isNone(yield* token("beta", "a", Option.none(), { currency: "eur" })))
  })

  it("have no price and value, but the reason and the dollars, if the exchange rate is missing", function* () {
    const { balances } = yield* portfolio([alpha], { "alpha-coin": 0.1 }, {}, {})
    const { rows } = yield* balances({ alpha: ["a"] }, { currency: "chf" })
    assert.deepInclude(rows[0] ?? {}, {
      balanceUsd: "12.345",
      currency: "chf",
      price: null,
      value: null,
      error: "the exchange rate of chf is not available",
      errorCode: "bad_answer"
    })
    assert.deepInclude(rows[1] ?? {}, { price: null, value: null, errorCode: "no_price" })
  })

  it("have `price` in the currency and `priceUsd` in dollars in a request for a single token", function* () {
    const one = network({
      id: "alpha",
      holdings: (addresses) => Effect.succeed(reading(addresses, () => holds(0n))),
      holding: () => Effect.succeed({ asset: coin, amount: Either.right(1_500n) })
    })
    const { token } = yield* portfolio([one], priced, {}, { eur: 0.8611 })
    assert.deepStrictEqual(Option.getOrNull(yield* token("alpha", "a", Option.some("0xcoin"), { currency: "eur" })), {
      balance: "1.5",
      balanceUsd: "3.75",
      price: "2.15275",
      priceUsd: "2.5",
      currency: "eur",
      value: "3.229125"
    })
    assert.deepStrictEqual(Option.getOrNull(yield* token("alpha", "a", Option.some("0xcoin"))), {
      balance: "1.5",
      balanceUsd: "3.75",
      price: "2.5"
    })
  })

  it.prop(
    "have exactly balance times price as value, and the dollar price times the rate to 12 digits as price",
    [
      FastCheck.bigInt({ min: 0n, max: 10n ** 40n }),
      FastCheck.integer({ min: 0, max: 30 }),
      FastCheck.double({ min: 1e-12, max: 1e6, noNaN: true }),
      FastCheck.double({ min: 1e-6, max: 1e5, noNaN: true })
    ],
    ([units, decimals, usd, perUsd]) => {
      const price = Option.getOrThrow(Amount.price(usd))
      const row = { balance: Amount.format(units, decimals), tokenPrice: Amount.plain(price) }
      const rate = Option.getOrThrow(Amount.price(perUsd))
      const result = converted({ currency: "eur", rate: Either.right(rate) }, row)
      const decimal = (text: string | null) => BigDecimal.unsafeFromString(text ?? "")
      const exact = BigDecimal.multiply(decimal(row.tokenPrice), rate)
      const off = BigDecimal.abs(BigDecimal.subtract(decimal(result.price), exact))
      assert.isTrue(
        BigDecimal.lessThanOrEqualTo(BigDecimal.multiply(off, BigDecimal.make(2n, -11)), exact),
        `${result.price} of ${BigDecimal.format(exact)}`
      )
      assert.isAtMost((result.price ?? "").replace(/^[0.]+|[.]/g, "").replace(/0+$/, "").length, 12)
      assert.isTrue(
        BigDecimal.equals(decimal(result.value), BigDecimal.multiply(decimal(row.balance), decimal(result.price)))
      )
      const dollars = converted({ currency: "usd", rate: Either.right(BigDecimal.make(1n, 0)) }, row)
      assert.strictEqual(dollars.price, row.tokenPrice)
    }
  )
})
