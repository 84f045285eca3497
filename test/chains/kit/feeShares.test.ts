import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { feeShares } from "../../../src/chains/kit/fees/feeShares.ts"

const whole = (gave: bigint) => ({ gave, net: gave })
const total = (all: ReadonlyArray<bigint>) => all.reduce((sum, amount) => sum + amount, 0n)

describe("the shares of a fee", () => {
  it("are proportional to each payer's amount, and the largest payer takes the rounding remainder", () => {
    assert.deepStrictEqual(feeShares([whole(10n), whole(100n)], 22n), [2n, 20n])
    assert.deepStrictEqual(feeShares([whole(1n), whole(2n), whole(4n)], 3n), [0n, 0n, 3n])
    assert.deepStrictEqual(feeShares([whole(5n), whole(5n)], 3n), [2n, 1n])
    assert.deepStrictEqual(feeShares([{ gave: 30n, net: 10n }, whole(10n)], 8n), [6n, 2n])
  })

  it("never exceed a payer's net amount: the other payers share the excess", () => {
    assert.deepStrictEqual(feeShares([{ gave: 100n, net: 2n }, whole(100n)], 30n), [2n, 28n])
    // The rounding remainder goes to the next payer if the largest payer cannot take it.
    assert.deepStrictEqual(feeShares([whole(3n), whole(3n), whole(3n)], 8n), [3n, 3n, 2n])
    const cascade = [{ gave: 100n, net: 1n }, { gave: 50n, net: 20n }, whole(50n)]
    assert.deepStrictEqual(feeShares(cascade, 60n), [1n, 20n, 39n])
  })

  it("are empty without payers, zero without a fee, and the net amounts if the fee exceeds their sum", () => {
    assert.deepStrictEqual(feeShares([], 5n), [])
    assert.deepStrictEqual(feeShares([whole(5n), whole(0n)], 0n), [0n, 0n])
    assert.deepStrictEqual(feeShares([whole(5n), { gave: 9n, net: 1n }], 10n), [5n, 1n])
  })

  const payer = FastCheck.tuple(FastCheck.bigInt(0n, 10n ** 17n), FastCheck.bigInt(0n, 10n ** 17n)).map(
    ([net, change]) => ({ gave: net + change, net })
  )

  it("sum to the fee, never exceed a net amount, and are proportional unless a payer is at its limit", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(payer, { minLength: 1, maxLength: 12 }),
        FastCheck.bigInt(0n, 10n ** 18n),
        (payers, fee) => {
          const nets = total(payers.map(({ net }) => net))
          const shares = feeShares(payers, fee)
          assert.strictEqual(total(shares), fee < nets ? fee : nets)
          for (const [index, share] of shares.entries()) {
            assert.isTrue(share >= 0n && share <= (payers[index]?.net ?? -1n))
          }
          const gave = total(payers.map((party) => party.gave))
          if (payers.some((party) => fee * party.gave >= party.net * gave)) return
          for (const [index, share] of shares.entries()) {
            const exact = (fee * (payers[index]?.gave ?? 0n)) / gave
            assert.isTrue(share >= exact && share < exact + BigInt(payers.length))
          }
        }
      )
    )
  })
})
