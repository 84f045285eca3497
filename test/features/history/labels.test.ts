import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { cardano } from "../../../src/catalogue/cardano.ts"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { labelling, shortForm } from "../../../src/features/history/labels.ts"
import { recipientsOf } from "../../../src/features/history/Recipients.ts"
import { dai, friend, holder, transaction } from "./histories.ts"

const twin = "0xbbbb99999999999999999999999999999999beef"

const labels = (
  all: ReadonlyArray<Transaction>,
  isKnown: ((token: string) => boolean) | undefined = (token) => token === dai.address
) => labelsOf(all, holder, isKnown)

/** The labels of these transactions, if no others are known. */
const labelsOf = (
  all: ReadonlyArray<Transaction>,
  own: string,
  isKnown: ((token: string) => boolean) | undefined,
  prefixes?: ReadonlyArray<string>
) => {
  const isHolder = (address: string) => address === own
  return all.map(labelling(recipientsOf(all, isHolder), isHolder, isKnown, prefixes))
}

const sent = (to: string, amount = 7n, token?: string) =>
  transaction(1, {
    type: "Send",
    from: [{ address: holder, amount, ...(token === undefined ? {} : { token }) }],
    to: [{ address: to, amount, ...(token === undefined ? {} : { token }) }]
  })

describe("the recipients of an address", () => {
  it("are those who got an asset that it sent in the same transaction", () => {
    const moved =
      (token?: string, amount = 1n) =>
      (address: string) => ({
        address,
        amount,
        ...(token === undefined ? {} : { token })
      })
    const isHolder = (address: string) => address === holder
    const taken = transaction(1, {
      from: [moved("0xfa")(holder), moved()("0x1")],
      to: [moved("0xfa")("0x2"), moved()("0x3")]
    })
    assert.deepStrictEqual(
      recipientsOf([taken], isHolder).map(({ address, token }) => [address, token]),
      [["0x2", "0xfa"]]
    )
    const others = [
      { ...taken, status: "Failed" as const },
      transaction(1, { from: [moved()("0x1")], to: [moved()("0x3")] })
    ]
    assert.deepStrictEqual(recipientsOf(others, isHolder), [])
  })
})

describe("the label zero-value", () => {
  it("marks a transfer of amount 0 in either direction", () => {
    assert.deepStrictEqual(labels([sent(friend, 0n, dai.address)]), [["zero-value"]])
    assert.deepStrictEqual(labels([sent(friend, 1n, dai.address)]), [[]])
  })

  it("does not mark a call, a cancellation or a failed transaction", () => {
    for (const type of ["Contract Call", "Cancel", "TrustSet"])
      assert.deepStrictEqual(labels([{ ...sent(friend, 0n), type }]), [[]])
    assert.deepStrictEqual(labels([{ ...sent(friend, 0n), status: "Failed" }]), [[]])
    assert.deepStrictEqual(
      labels([{ ...sent(friend, 0n), status: "Unknown" }]),
      [[]],
      "the transferred amount is unknown"
    )
    assert.deepStrictEqual(labels([{ ...sent(friend), from: [], to: [] }]), [[]])
    assert.deepStrictEqual(labels([sent(holder, 0n)]), [[]], "a transfer of the holder to itself is not deceptive")
  })
})

describe("the label lookalike", () => {
  it("marks an address that looks like an address to which the holder sent coins", () => {
    const poison = transaction(0, { from: [{ address: twin, amount: 1n }] })
    assert.deepStrictEqual(labels([poison, sent(friend)]), [["lookalike"], []])
    assert.deepStrictEqual(labels([sent(twin, 0n, dai.address), sent(friend)]), [["zero-value", "lookalike"], []])
  })

  it("does not mark addresses to which the holder sent coins, even if they look alike", () => {
    assert.deepStrictEqual(labels([sent(twin), sent(friend)]), [[], []])
  })

  it("is not caused by a transfer that failed, had amount 0, or moved an unknown token", () => {
    const poison = transaction(0, { from: [{ address: twin, amount: 1n }] })
    for (const item of [{ ...sent(friend), status: "Failed" as const }, sent(friend, 0n)])
      assert.deepStrictEqual(labels([poison, item])[0], [])
    assert.deepStrictEqual(labels([poison, sent(friend, 9n, "0xspam")])[0], [])
  })

  it("ignores the common prefix of addresses", () => {
    assert.strictEqual(shortForm("0xABCD00000000ef12"), "abcd…ef12")
    assert.strictEqual(shortForm("bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"), "qpm2…dx6a")
    assert.strictEqual(shortForm("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", bitcoin.addressPrefixes), "qar0…5mdq")
    assert.strictEqual(shortForm(`stake1${"u".repeat(49)}9xyz`, cardano.addressPrefixes), "uuuu…9xyz")
    assert.strictEqual(shortForm("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"), "tla2…yju7")
  })

  for (const [address, other] of [
    ["TAu1sYzQGjk5EPW2gN1vLq3hRb7c4kW7z", "TAu1QQQQQQQQQQQQQQQQQQQQQQQQQkW7z"],
    ["rab1fvpq4b2ssxjpua7zb4k5yzm1h7hQe", "rab1aaaaaaaaaaaaaaaaaaaaaaaaa7hQe"],
    ["Lab1fvpq4b2ssxjpua7zb4k5yzmxh7hQe", "Lab1aaaaaaaaaaaaaaaaaaaaaaaaa7hQe"]
  ] as const)
    it(`marks an address with a 1 among the compared characters: ${address}`, () => {
      const poison = transaction(0, { from: [{ address: other, amount: 1n }] })
      const all = [poison, sent(address)]
      assert.deepStrictEqual(labelsOf(all, holder, undefined, litecoin.addressPrefixes), [["lookalike"], []])
    })

  it.prop("never marks the holder", [fc.hexaString({ minLength: 40, maxLength: 40 })], ([hex]) => {
    const own = `0x${hex}`
    const all = [
      transaction(0, {
        from: [{ address: own, amount: 1n }],
        to: [{ address: `0x${hex.slice(0, 4)}${"0".repeat(32)}${hex.slice(-4)}`, amount: 1n }]
      })
    ]
    assert.deepStrictEqual(labelsOf(all, own, undefined), [[]])
  })
})

describe("the label unknown-token", () => {
  it("marks a token that is not in the registry or whose address is unknown", () => {
    assert.deepStrictEqual(
      labels([sent(friend, 1n, "0x99"), sent(friend, 1n, "Unknown"), sent(friend, 1n, dai.address)]),
      [["unknown-token"], ["unknown-token"], []]
    )
  })

  it("marks no token without a token list", () => {
    const all = [sent(friend, 1n, "0x99")]
    assert.deepStrictEqual(labelsOf(all, holder, undefined), [[]])
  })
})
