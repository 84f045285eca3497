import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { partsOf } from "../../../src/chains/polkadot/balances.ts"
import { toDetail } from "../../../src/chains/polkadot/breakdown.ts"
import { ledgerKey, stakedIn } from "../../../src/chains/polkadot/storage.ts"

const account = `0x${"a1".repeat(32)}` as const
const dot = 10_000_000_000n
const deposit = 100_000_000n

/** Balance in base units from whole DOT. */
const balance = (free: bigint, reserved: bigint, frozen: bigint) => ({
  free: free * dot,
  reserved: reserved * dot,
  frozen: frozen * dot
})

describe("an Asset Hub balance", () => {
  for (const [what, [free, reserved, frozen], spendable] of [
    ["reserves the existential deposit if nothing is locked", [10n, 0n, 0n], 10n * dot - deposit],
    ["reserves the frozen amount, which includes the existential deposit", [10n, 0n, 4n], 6n * dot],
    [
      "reserves only the existential deposit if the reserved coins cover the frozen amount",
      [10n, 5n, 4n],
      10n * dot - deposit
    ],
    ["reserves the frozen amount that exceeds the reserved coins", [10n, 5n, 9n], 6n * dot],
    ["has no spendable coins if everything is frozen", [10n, 0n, 12n], 0n]
  ] as const)
    it(what, () => {
      assert.deepStrictEqual(partsOf(balance(free, reserved, frozen)), {
        spendable,
        reserved: (free + reserved) * dot - spendable
      })
    })

  it("has the stake of its staking ledger, and reports the reserved parts as missing without a matching ledger", () => {
    const held = balance(10n, 5n, 0n)
    assert.deepStrictEqual(toDetail(held, Option.some(3n * dot)), {
      amount: 15n * dot,
      parts: { spendable: 10n * dot - deposit, reserved: 2n * dot + deposit, staked: 3n * dot }
    })
    // A pool or another account has the ledger; it has more than is reserved; it cannot be read.
    for (const ledger of [Option.some(0n), Option.some(6n * dot), Option.none()]) {
      const { missing, parts } = toDetail(held, ledger)
      assert.strictEqual(missing?.reason, "bad_answer")
      assert.deepStrictEqual(parts, partsOf(held))
    }
    assert.strictEqual(toDetail(balance(10n, 0n, 0n), Option.some(0n)).parts.staked, 0n)
  })

  const amount = FastCheck.bigInt({ min: 0n, max: 1n << 80n })
  it.prop("is the sum of its parts, none of which is negative", [amount, amount, amount, amount], (numbers) => {
    const [free, reserved, frozen, staked] = numbers
    const { amount, parts } = toDetail({ free, reserved, frozen }, Option.some(staked))
    const all = Object.values(parts) as ReadonlyArray<bigint>
    assert.strictEqual(
      all.reduce((sum, part) => sum + part, 0n),
      amount
    )
    assert.isTrue(all.every((part) => part >= 0n))
  })
})

describe("a staking ledger", () => {
  it("has a key that starts with the hashes of pallet and item", () => {
    assert.isTrue(ledgerKey(account).startsWith("0x5f3e4907f716ac89b6347d15ececedca422adb579f1dbf4f3886c5cfa3bb8cc4"))
    assert.isTrue(ledgerKey(account).endsWith(account.slice(2)))
  })

  it("has its total after the stash, in every form of a compact integer", () => {
    const of = (total: string) => stakedIn(`${account}${total}0400`, account)
    for (const [text, total] of [
      ["04", 1n],
      ["fc", 63n],
      ["0101", 64n],
      ["feff0300", 65_535n],
      ["0300000040", 1_073_741_824n],
      ["0b00407a10f35a", 100_000_000_000_000n],
      ["13ffffffffffffffff", 2n ** 64n - 1n]
    ] as const)
      assert.deepStrictEqual(of(text), Option.some(total), text)
  })

  it("counts as zero if it does not exist, and is rejected if it is of another stash or ends too early", () => {
    assert.deepStrictEqual(stakedIn(null, account), Option.some(0n))
    assert.deepStrictEqual(stakedIn(`0x${"b2".repeat(32)}04`, account), Option.none())
    assert.deepStrictEqual(stakedIn(`${account}13ff`, account), Option.none())
    assert.deepStrictEqual(stakedIn(account, account), Option.none())
  })
})
