import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { bch } from "../../../src/catalogue/utxo/bch.ts"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import {
  concerns,
  partyNames,
  type TransactionSide,
  toTransaction,
  type UtxoTransaction
} from "../../../src/chains/utxo/history.ts"
import { ordered, withoutReplaced } from "../../../src/chains/utxo/replacements.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"

const address = ({ coding }: UtxoFacts, index: number) =>
  UtxoAddress.encode(coding, { kind: "keyHash", hash: new Uint8Array(20).fill(index + 1) })

const [me = "", you = "", they = ""] = [0, 1, 2].map((index) => address(bitcoin, index))

const side = (address: string | undefined, amount: bigint): TransactionSide => ({ address, amount })

const seen = (
  inputs: ReadonlyArray<TransactionSide>,
  outputs: ReadonlyArray<TransactionSide>,
  more: Partial<UtxoTransaction> = {}
): UtxoTransaction => ({
  hash: "aa",
  block: 7,
  time: 1_700_000_000,
  inputs,
  outputs,
  ...more
})

const mapped = (utxoTransaction: UtxoTransaction, holder = me, info: UtxoFacts = bitcoin) =>
  toTransaction(holder, partyNames(info), 1_800_000_000)(utxoTransaction, 1)

const summary = (utxoTransaction: UtxoTransaction, holder = me, info: UtxoFacts = bitcoin) => {
  const { fee, from, to, type } = mapped(utxoTransaction, holder, info)
  const pair = (all: typeof from) => all.map(({ address, amount }) => [address, amount])
  return { type, fee, from: pair(from), to: pair(to) }
}

describe("a Bitcoin family transaction", () => {
  it("does not concern the holder if it repeats an input, or has no inputs and pays the holder nothing", () => {
    const isOwn = concerns(me, partyNames(bitcoin))
    const hash = "ab".repeat(32)
    const spending = (index: number) => ({ ...side(me, 5n), spends: `${hash}:${index}` })
    assert.isTrue(isOwn(seen([spending(0), spending(1)], [side(you, 9n)], { hash })))
    assert.isFalse(isOwn(seen([spending(0), spending(0)], [side(you, 9n)], { hash })))
    assert.isTrue(isOwn(seen([], [side(me, 9n)], { hash })))
    assert.isFalse(isOwn(seen([], [side(me, 0n)], { hash })))
  })
})

describe("a Bitcoin family transaction in a history", () => {
  it("shows a payment without change and fee, and the inputs of one address as one party", () => {
    assert.deepStrictEqual(mapped(seen([side(me, 60n), side(me, 50n)], [side(you, 30n), side(me, 75n)])), {
      hash: "aa",
      type: "Send",
      fee: 5n,
      status: "Success",
      timestamp: 1_700_000_000,
      block: 7,
      order: 1,
      from: [{ address: me, amount: 30n }],
      to: [{ address: you, amount: 30n }]
    })
  })

  it("shows a payment to its recipient without the payer's change", () => {
    assert.deepStrictEqual(summary(seen([side(me, 110n)], [side(you, 30n), side(me, 75n)]), you), {
      type: "Receive",
      fee: 5n,
      from: [[me, 30n]],
      to: [[you, 30n]]
    })
  })

  it("shows several outputs to one address as one party", () => {
    assert.deepStrictEqual(summary(seen([side(you, 10n)], [side(me, 3n), side(me, 6n)])).to, [[me, 9n]])
  })

  it("shows the holder of a payment to itself on both sides, with the amount that came back", () => {
    assert.deepStrictEqual(summary(seen([side(me, 60n), side(me, 50n)], [side(me, 100n), side(me, 5n)])), {
      type: "Send",
      fee: 5n,
      from: [[me, 105n]],
      to: [[me, 105n]]
    })
  })

  it("shows the holder with an amount of zero if the whole input is the fee", () => {
    assert.deepStrictEqual(summary(seen([side(me, 1_000n)], [side(undefined, 0n)])), {
      type: "Send",
      fee: 1_000n,
      from: [[me, 0n]],
      to: []
    })
  })

  it("omits an OP_RETURN output without coins, and shows burned coins as sent to `Unknown`", () => {
    assert.deepStrictEqual(summary(seen([side(me, 10n)], [side(you, 9n), side(undefined, 0n)])).to, [[you, 9n]])
    assert.deepStrictEqual(summary(seen([side(me, 10n)], [side("", 9n)])).to, [["Unknown", 9n]])
  })

  it("does not offset scripts without an address against each other", () => {
    assert.deepStrictEqual(summary(seen([side(undefined, 10n)], [side(undefined, 4n), side(me, 5n)])), {
      type: "Receive",
      fee: 1n,
      from: [["Unknown", 9n]],
      to: [
        ["Unknown", 4n],
        [me, 5n]
      ]
    })
  })

  it("shows new coins as coming from the coinbase, without a fee", () => {
    assert.deepStrictEqual(summary(seen([], [side(me, 50n), side(you, 2n), side(undefined, 0n)])), {
      type: "Receive",
      fee: 0n,
      from: [["coinbase", 52n]],
      to: [
        [me, 50n],
        [you, 2n]
      ]
    })
  })

  it("shows an output of zero to the holder", () => {
    assert.deepStrictEqual(summary(seen([side(you, 9n)], [side(they, 8n), side(me, 0n)])).to, [
      [they, 8n],
      [me, 0n]
    ])
  })

  it("splits the fee among several payers in proportion to their inputs, and charges the largest the remainder", () => {
    const utxoTransaction = seen([side(me, 10n), side(you, 100n)], [side(they, 88n)])
    assert.deepStrictEqual(summary(utxoTransaction).from, [
      [me, 8n],
      [you, 80n]
    ])
    const uneven = seen([side(me, 40n), side(you, 50n)], [side(they, 30n)])
    assert.deepStrictEqual(summary(uneven), {
      type: "Send",
      fee: 60n,
      from: [
        [me, 14n],
        [you, 16n]
      ],
      to: [[they, 30n]]
    })
  })

  it("lists each of eight payers of dust that is nearly all fee, with the amount that it pays to others", () => {
    const dust = Array.from({ length: 8 }, (_, index) => side(address(bitcoin, 10 + index), 9_000n))
    const { from, to } = summary(seen(dust, [side(me, 3_404n)]))
    assert.deepStrictEqual(
      from.map(([, amount]) => amount),
      [422n, ...dust.slice(1).map(() => 426n)]
    )
    assert.deepStrictEqual(to, [[me, 3_404n]])
  })

  it("limits a payer's share of the fee to its net amount, and charges the others the rest", () => {
    // Each would pay 15 of the fee of 30, but the net amount of one of them is only 2.
    const item = seen([side(me, 100n), side(you, 100n)], [side(me, 98n), side(they, 72n)])
    assert.deepStrictEqual(summary(item).from, [
      [me, 0n],
      [you, 72n]
    ])
  })

  it("lists every payer if all inputs are the fee", () => {
    assert.deepStrictEqual(summary(seen([side(me, 9n), side(you, 5n)], [side(undefined, 0n)])), {
      type: "Send",
      fee: 14n,
      from: [
        [me, 0n],
        [you, 0n]
      ],
      to: []
    })
  })

  it("shows a CoinJoin party that gains as a recipient, and others as payers of their loss minus the fee", () => {
    const element = seen(
      [side(me, 100n), side(you, 100n), side(they, 50n)],
      [side(you, 98n), side(me, 97n), side(they, 52n)]
    )
    const from = [
      [me, 1n],
      [you, 1n]
    ]
    assert.deepStrictEqual(summary(element, they), { type: "Receive", fee: 3n, from, to: [[they, 2n]] })
    assert.deepStrictEqual(summary(element).from, from)
  })

  it("shows several parties that send to themselves on both sides, each with the amount that came back", () => {
    const even = seen([side(me, 100n), side(you, 100n)], [side(you, 99n), side(me, 98n)])
    const both = [
      [me, 98n],
      [you, 99n]
    ]
    assert.deepStrictEqual(summary(even), { type: "Send", fee: 3n, from: both, to: both })
    const spent = seen([side(me, 100n), side(you, 5n)], [side(me, 98n)])
    assert.deepStrictEqual(summary(spent), {
      type: "Send",
      fee: 7n,
      from: [
        [me, 98n],
        [you, 0n]
      ],
      to: [[me, 98n]]
    })
  })

  it("is pending while it is in the mempool, with the time when it was first seen or else the current time", () => {
    const { block: _, ...rest } = seen([side(you, 2n)], [side(me, 1n)])
    const waiting = mapped({ ...rest, block: undefined })
    assert.deepStrictEqual([waiting.status, waiting.timestamp], ["Pending", 1_700_000_000])
    assert.strictEqual(mapped({ ...rest, block: undefined, time: undefined }).timestamp, 1_800_000_000)
  })

  it("has exact amounts beyond 2^53", () => {
    const much = 2n ** 60n + 1n
    assert.deepStrictEqual(summary(seen([side(you, much + 1n)], [side(me, much)])).to, [[me, much]])
  })

  it("shows every spelling of an address as one party, in CashAddr with its prefix", () => {
    const legacy = UtxoAddress.base58(bch.coding, "keyHash", new Uint8Array(20).fill(1))
    const canonical = address(bch, 0)
    const bare = canonical.slice("bitcoincash:".length)
    assert.deepStrictEqual(
      summary(
        seen([side(legacy, 10n), side(bare, 10n)], [side(canonical, 12n), side("no address at all", 7n)]),
        canonical,
        bch
      ),
      { type: "Send", fee: 1n, from: [[canonical, 7n]], to: [["no address at all", 7n]] }
    )
  })

  it("shows the extension blocks of Litecoin as one party, `MWEB`", () => {
    const hog = (version: number, index: number) =>
      UtxoAddress.encode(litecoin.coding, { kind: "witness", version, program: new Uint8Array(32).fill(index) })
    const holder = address(litecoin, 0)
    const out = seen([side(hog(8, 1), 5_000n), side(hog(9, 2), 30n)], [side(hog(8, 3), 5_020n), side(holder, 10n)])
    assert.deepStrictEqual(summary(out, holder, litecoin), {
      type: "Receive",
      fee: 0n,
      from: [["MWEB", 10n]],
      to: [[holder, 10n]]
    })
    assert.deepStrictEqual(summary(seen([side(holder, 9n)], [side(hog(9, 1), 8n)]), holder, litecoin).to, [
      ["MWEB", 8n]
    ])
  })

  const sides = FastCheck.array(
    FastCheck.record({
      address: FastCheck.constantFrom(me, you, they, undefined),
      amount: FastCheck.bigInt(0n, 10n ** 17n)
    }),
    { maxLength: 8 }
  )

  it("has equal sums on both sides and lists every payer, for any inputs and outputs", () => {
    const total = (all: ReadonlyArray<{ readonly amount: bigint }>) => all.reduce((sum, { amount }) => sum + amount, 0n)
    const of = (all: ReadonlyArray<TransactionSide>, who: string) => total(all.filter(({ address }) => address === who))
    FastCheck.assert(
      FastCheck.property(sides, sides, (inputs, outputs) => {
        const gap = total(outputs) - total(inputs)
        // Outputs must not exceed inputs.
        const enough = inputs.length > 0 && gap > 0n ? [...inputs, side(they, gap)] : inputs
        const { from, to } = mapped(seen(enough, outputs))
        assert.strictEqual(total(from), total(to))
        assert.isTrue([...from, ...to].every(({ amount }) => amount >= 0n))
        assert.isTrue(to.every(({ address, amount }) => amount > 0n || address === me))
        for (const who of [me, you, they]) {
          const net = of(enough, who) - of(outputs, who)
          const party = from.filter(({ address }) => address === who)
          if (net > 0n) assert.strictEqual(party.length, 1, `${who} pays ${net}`)
        }
      })
    )
  })
})

describe("the list of transactions", () => {
  const spending = (hash: string, spends: string, more: Partial<UtxoTransaction> = {}) =>
    seen([{ ...side(me, 100n), spends }], [side(you, 90n)], { hash, ...more })
  const hashes = (all: ReadonlyArray<UtxoTransaction>) => all.map(({ hash }) => hash)

  it("omits a replaced transaction if it has the replacement", () => {
    const old = spending("old", "x:0", { block: undefined })
    const dearer = seen([{ ...side(me, 100n), spends: "x:0" }], [side(you, 80n)], { hash: "new", block: undefined })
    assert.deepStrictEqual(hashes(withoutReplaced([old, dearer])), ["new"])
    assert.deepStrictEqual(hashes(withoutReplaced([dearer, old])), ["new"])
  })

  it("retains a transaction in a block even if its conflicting transaction pays more", () => {
    const mined = spending("mined", "x:0")
    const dearer = seen([{ ...side(me, 100n), spends: "x:0" }], [], { hash: "dearer", block: undefined })
    assert.deepStrictEqual(hashes(withoutReplaced([dearer, mined])), ["mined"])
  })

  it("contains a transaction of two pages once, as confirmed if either page has it confirmed", () => {
    const before = spending("a", "x:0", { block: undefined })
    const after = spending("a", "x:0")
    assert.deepStrictEqual(withoutReplaced([before, spending("b", "y:0"), after]), [after, spending("b", "y:0")])
  })

  it("has the mempool first, higher blocks before lower ones, and spending transactions before spent ones", () => {
    const all = [
      spending("waits", "x:0", { block: undefined }),
      spending("parent", "y:0", { block: 8 }),
      spending("child", "parent:1", { block: 8 }),
      spending("third", "z:0", { block: 8 }),
      spending("low", "q:0", { block: 7 })
    ]
    const rows = ordered(all)
    assert.deepStrictEqual(
      rows.map(([{ hash }]) => hash),
      ["waits", "child", "parent", "third", "low"]
    )
    const orders = rows.map(([, order]) => order)
    assert.deepStrictEqual(
      orders,
      orders.toSorted((a, b) => b - a)
    )
    assert.strictEqual(new Set(orders).size, 5)
    assert.isTrue(orders.every(Number.isSafeInteger))
  })
})
