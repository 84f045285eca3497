import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import type { Holding } from "../../../src/chains/Chain.ts"
import { scaled } from "../../../src/chains/kit/holdings/scaled.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import type { Price } from "../../../src/domain/Price.ts"
import { millis } from "../../../src/domain/units.ts"
import { assetOf, byWorth, toBalance, value } from "../../../src/features/balances/rows.ts"

const coinId = CoinId.make("coin")
const priced = (usd: number): Either.Either<Price> => Either.right({ coinId, usd, updatedAt: 1, source: "test" })

/** The decimal digits of a number, and how many of them follow the decimal point. */
const exactly = (usd: number): { readonly digits: bigint; readonly scale: number } => {
  const [mantissa = "", exponent = "0"] = String(usd).split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

/** Formats `units / 10^scale` as plain digits, with integer arithmetic only. */
const written = (units: bigint, scale: number) => {
  const whole = units / 10n ** BigInt(scale)
  const rest = units % 10n ** BigInt(scale)
  return rest === 0n ? `${whole}` : `${whole}.${rest.toString().padStart(scale, "0").replace(/0+$/, "")}`
}

const amounts = FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const decimals = FastCheck.integer({ min: 0, max: 255 })
const prices = FastCheck.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true })

describe("the value of an amount", () => {
  it.prop("is exactly base units times price", [amounts, decimals, prices], ([amount, places, usd]) => {
    const numbers = value(Either.right(amount), places, priced(usd))
    const price = exactly(usd)
    assert.strictEqual(numbers.balance, written(amount, places))
    assert.strictEqual(numbers.tokenPrice, written(price.digits, price.scale))
    assert.strictEqual(numbers.balanceUsd, written(amount * price.digits, places + price.scale))
    assert.notProperty(numbers, "error")
  })

  it.prop("is null with the reason if the amount could not be read, at any price", [prices], ([usd]) => {
    const { worth, ...numbers } = value(Either.left({ reason: "timeout", message: "late" }), 18, priced(usd))
    assert.deepInclude(numbers, { balance: null, balanceUsd: null, error: "late", errorCode: "timeout" })
    assert.isTrue(Option.isNone(worth))
  })

  it("is that of the displayed amount, cut at the decimals, if the token has a multiplier", () => {
    const by = (multiplier: string) => ({ multiplier: Option.getOrThrow(Multiplier.fromDecimal(multiplier)) })
    const { worth: _, ...five } = value(Either.right(1_000_000_000n), 8, priced(40), by("5"))
    assert.deepStrictEqual(five, {
      balance: "50",
      rawBalance: "1000000000",
      multiplier: "5",
      balanceUsd: "2000",
      tokenPrice: "40"
    })
    assert.deepInclude(value(Either.right(199n), 2, priced(1), by("1.005")), { balance: "1.99", balanceUsd: "1.99" })
    const change = { ...by("10"), at: millis(7) }
    const announced = value(Either.right(199n), 2, priced(1), { ...by("1"), change })
    assert.deepInclude(announced, { balance: "1.99", multiplierChange: { multiplier: "10", at: 7 } })
    assert.notProperty(announced, "multiplier")
  })

  it("is null with the reason if the token has a multiplier, because no source says which unit its price is for", () => {
    const token = { address: "0x1", coinId, name: "", symbol: "", decimals: 2, thumbnail: "" }
    const prices = { found: new Map([[coinId, Either.getOrThrow(priced(3))]]), missing: new Map() }
    const row = (multiplier: string, displayed?: ReadonlyMap<string, Price>) =>
      toBalance(
        ethereum,
        "0x2",
        {
          asset: token,
          amount: Either.right(200n),
          scaling: { multiplier: Option.getOrThrow(Multiplier.fromDecimal(multiplier)) }
        },
        prices,
        displayed
      ).row
    assert.deepInclude(row("2", new Map([["0x1", Either.getOrThrow(priced(40))]])), {
      balance: "4",
      balanceUsd: "160",
      tokenPrice: "40"
    })
    assert.deepInclude(row("1"), { balance: "2", balanceUsd: "6", tokenPrice: "3" })
    assert.deepInclude(row("1.001"), {
      balance: "2",
      balanceUsd: null,
      tokenPrice: null,
      errorCode: "no_price",
      error: "no source has a current price that is known to be for the displayed unit"
    })
    const left = Either.left({ reason: "timeout", message: "late" } as const)
    const unread = scaled(token, Either.right(200n), left)
    assert.deepInclude(toBalance(ethereum, "0x2", unread, prices).row, {
      balance: null,
      tokenPrice: null,
      errorCode: "timeout"
    })
  })

  it("has no exponent, no trailing zero and no rounding", () => {
    const rows = [
      [1n, 18, 1, "0.000000000000000001", "0.000000000000000001"],
      [1_500_000_000_000_000_000n, 18, 2, "1.5", "3"],
      [10n ** 30n, 18, 1e-7, "1000000000000", "100000"],
      [3n, 0, 0.1, "3", "0.3"],
      [0n, 6, 1.5, "0", "0"],
      [1n, 36, 1e-12, `0.${"0".repeat(35)}1`, `0.${"0".repeat(47)}1`]
    ] as const
    for (const [amount, places, usd, balance, balanceUsd] of rows)
      assert.deepInclude(value(Either.right(amount), places, priced(usd)), { balance, balanceUsd })
  })

  it("is null with a reason if the price is zero, negative or not finite", () => {
    for (const usd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      assert.deepInclude(value(Either.right(1n), 0, priced(usd)), {
        balance: "1",
        balanceUsd: null,
        tokenPrice: null,
        errorCode: "no_price"
      })
  })
})

describe("an asset", () => {
  it("has no `coinId` field if its coin id is unknown, so that no price is requested for it", () => {
    const { native } = ethereum
    const unknown = { ...ethereum, native: { ...native, coinId: "" as CoinId } }
    assert.notProperty(assetOf(unknown, { asset: "native" }), "coinId")
    assert.deepStrictEqual(assetOf(ethereum, { asset: "native" }), { ...native, address: null })
  })
})

describe("the order of an address's assets", () => {
  const token = (name: string): Holding["asset"] => ({
    address: name,
    coinId: CoinId.make(name),
    name,
    symbol: name,
    decimals: 0,
    thumbnail: ""
  })

  it.prop(
    "is the native coin, then assets by value, then unpriced assets, each in the original order",
    [FastCheck.array(FastCheck.option(FastCheck.double({ min: 0.001, max: 1e6, noNaN: true })))],
    ([worths]) => {
      const found = new Map(
        worths.flatMap((usd, index) =>
          usd === null ? [] : [[CoinId.make(`t${index}`), { coinId, usd, updatedAt: 1, source: "test" }] as const]
        )
      )
      const rows = [...worths.map((_, index) => token(`t${index}`)), "native" as const]
        .map((asset) => toBalance(ethereum, "0x", { asset, amount: Either.right(1n) }, { found, missing: new Map() }))
        .sort(byWorth)
        .map(({ row }) => row.contractAddress)
      const by = (usd: number | null) => (usd === null ? -1 : usd)
      const expected = worths
        .map((usd, index) => ({ usd, name: `t${index}` }))
        .sort((a, b) => by(b.usd) - by(a.usd))
        .map(({ name }) => name)
      assert.deepStrictEqual(rows, [null, ...expected])
    }
  )
})
