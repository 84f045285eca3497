import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { bch } from "../../../src/catalogue/utxo/bch.ts"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import { ordered, withoutReplaced } from "../../../src/chains/utxo/replacements.ts"
import {
  concerns,
  partyNames,
  type TransactionSide,
  toTransaction,
  type UtxoTransaction
} from "../../../src/chains/utxo/toTransaction.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { height, seconds } from "../../../src/domain/units.ts"

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
  block: height(7),
  time: seconds(1_700_000_000),
  inputs,
  outputs,
  ...more
})

const mapped = (utxoTransaction: UtxoTransaction, holder = me, info: UtxoFacts = bitcoin) =>
  toTransaction(holder, partyNames(info), seconds(1_800_000_000))(utxoTransaction, 1)

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
      timestamp: seconds(1_700_000_000),
      block: height(7),
      order: 1,
      from: [{ address: me, amount: 30n }],
      to: [{ address: you, amount: 30n }]
    })
  })

  const names = { me, you, they, script: undefined, blank: "" }
  const much = 2n ** 60n + 1n

  /** Inputs and outputs, and how the holder sees them. A `script` has no address, and `blank` an empty one. */
  const cases: Readonly<Record<string, readonly [sides: string, row: string, holder?: string]>> = {
    "a payment to its recipient without the payer's change": [
      "me:110 -> you:30 me:75",
      "Receive fee 5: me:30 -> you:30",
      you
    ],
    "several outputs to one address as one party": ["you:10 -> me:3 me:6", "Receive fee 1: you:9 -> me:9"],
    "a payment of the holder to itself on both sides, with the amount that came back": [
      "me:60 me:50 -> me:100 me:5",
      "Send fee 5: me:105 -> me:105"
    ],
    "the holder with an amount of zero if the whole input is the fee": [
      "me:1000 -> script:0",
      "Send fee 1000: me:0 -> "
    ],
    "no OP_RETURN output without coins": ["me:10 -> you:9 script:0", "Send fee 1: me:9 -> you:9"],
    "burned coins as sent to `Unknown`": ["me:10 -> blank:9", "Send fee 1: me:9 -> Unknown:9"],
    "scripts without an address, which are not offset against each other": [
      "script:10 -> script:4 me:5",
      "Receive fee 1: Unknown:9 -> Unknown:4 + me:5"
    ],
    "new coins as coming from the coinbase, without a fee": [
      " -> me:50 you:2 script:0",
      "Receive fee 0: coinbase:52 -> me:50 + you:2"
    ],
    "an output of zero to the holder": ["you:9 -> they:8 me:0", "Receive fee 1: you:8 -> they:8 + me:0"],
    "the fee of several payers in proportion to their inputs": [
      "me:10 you:100 -> they:88",
      "Send fee 22: me:8 + you:80 -> they:88"
    ],
    "the remainder of an uneven fee as paid by the largest payer": [
      "me:40 you:50 -> they:30",
      "Send fee 60: me:14 + you:16 -> they:30"
    ],
    // Each would pay 15 of the fee of 30, but the net amount of one of them is only 2.
    "a payer's share of the fee up to its net amount, and the rest as paid by the others": [
      "me:100 you:100 -> me:98 they:72",
      "Send fee 30: me:0 + you:72 -> they:72"
    ],
    "every payer if all inputs are the fee": ["me:9 you:5 -> script:0", "Send fee 14: me:0 + you:0 -> "],
    "a CoinJoin party that gains as a recipient": [
      "me:100 you:100 they:50 -> you:98 me:97 they:52",
      "Receive fee 3: me:1 + you:1 -> they:2",
      they
    ],
    "the other CoinJoin parties as payers of their loss minus the fee": [
      "me:100 you:100 they:50 -> you:98 me:97 they:52",
      "Send fee 3: me:1 + you:1 -> they:2"
    ],
    "several parties that send to themselves on both sides, each with the amount that came back": [
      "me:100 you:100 -> you:99 me:98",
      "Send fee 3: me:98 + you:99 -> me:98 + you:99"
    ],
    "a party of such a transaction whose input is spent on the fee": [
      "me:100 you:5 -> me:98",
      "Send fee 7: me:98 + you:0 -> me:98"
    ],
    "exact amounts beyond 2^53": [`you:${much + 1n} -> me:${much}`, `Receive fee 1: you:${much} -> me:${much}`]
  }
  for (const [what, [sides, row, holder]] of Object.entries(cases))
    it(`shows ${what}`, () => {
      const [inputs = [], outputs = []] = sides
        .split(" -> ")
        .map((text) =>
          [...text.matchAll(/(\w+):(\d+)/g)].map(([, name, amount]) =>
            side(names[name as keyof typeof names], BigInt(amount ?? 0))
          )
        )
      const { fee, from, to, type } = mapped(seen(inputs, outputs), holder)
      const nameOf = (text: string) => Object.entries(names).find(([, address]) => address === text)?.[0] ?? text
      const written = (all: typeof from) => all.map(({ address, amount }) => `${nameOf(address)}:${amount}`).join(" + ")
      assert.strictEqual(`${type} fee ${fee}: ${written(from)} -> ${written(to)}`, row)
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

  it("is pending while it is in the mempool, with the time when it was first seen or else the current time", () => {
    const { block: _, ...rest } = seen([side(you, 2n)], [side(me, 1n)])
    const waiting = mapped({ ...rest, block: undefined })
    assert.deepStrictEqual([waiting.status, waiting.timestamp], ["Pending", 1_700_000_000])
    assert.strictEqual(mapped({ ...rest, block: undefined, time: undefined }).timestamp, seconds(1_800_000_000))
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
      spending("parent", "y:0", { block: height(8) }),
      spending("child", "parent:1", { block: height(8) }),
      spending("third", "z:0", { block: height(8) }),
      spending("low", "q:0", { block: height(7) })
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
