import { assert, describe, it } from "@effect/vitest"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { heightsOf } from "../../../../src/chains/kit/history/heights.ts"
import type { Transaction } from "../../../../src/domain/Transaction.ts"
import { numberOf, position, seconds } from "../../../../src/domain/units.ts"
import type { PageCursor } from "../../../../src/features/history/pages/PageCursor.ts"
import { rangeAfter, selectPage } from "../../../../src/features/history/pages/selectPage.ts"
import { part, transaction } from "../histories.ts"

describe("the cursor of a page", () => {
  const heights = { of: ({ order }: Transaction) => position(order), max: () => position(100) }
  const rows = [50, 40, 30].map((order) => transaction(0, { hash: `0x${order}`, order }))

  it("names the lists that ended above the page, and those of the pages before", () => {
    const ended = new Map([
      ["tokentx", position(41)],
      ["txlist", position(40)],
      ["txlistinternal", position(Number.POSITIVE_INFINITY)]
    ])
    const first = selectPage({ ...part(rows), ended }, undefined, 2, heights)
    assert.deepStrictEqual(first.next?.ended, ["tokentx", "txlistinternal"])
    assert.deepStrictEqual(rangeAfter(first.next as PageCursor, 2).before?.ended, ["tokentx", "txlistinternal"])
    const second = selectPage(
      { ...part([...rows, transaction(0, { hash: "0x20", order: 20 })]), ended },
      first.next,
      1,
      heights
    )
    assert.deepStrictEqual(second.next?.ended, ["tokentx", "txlist", "txlistinternal"])
  })

  it("names those above the next transaction while the last one waits for a block", () => {
    const pending = transaction(0, { hash: "0x60", order: 60, status: "Pending" })
    const page = selectPage(
      { ...part([pending, ...rows]), ended: new Map([["tokentx", position(55)]]) },
      undefined,
      1,
      heights
    )
    assert.deepStrictEqual([page.next?.height, page.next?.last, page.next?.ended], [position(50), "0x50", ["tokentx"]])
  })
})

describe("the range of the next page", () => {
  const times = heightsOf({ facts: ethereum })
  const at = (timestamp: number, more: Partial<Transaction> = {}) =>
    transaction(0, { hash: `0x${timestamp}`, timestamp: seconds(timestamp), order: timestamp, ...more })

  it("names the accounts of all pages before, through which older transactions are found", () => {
    const rows = [50, 40, 30].map((time) => at(time))
    const one = selectPage(part(rows, { accounts: ["closed"] }), undefined, 1, times)
    const two = selectPage(part(rows, { accounts: ["open"] }), one.next, 1, times)
    assert.deepStrictEqual(rangeAfter(two.next as PageCursor, 1).before?.accounts, ["open", "closed"])
    // Those of this page are the most important.
    const open = Array.from({ length: 256 }, (_, index) => `open ${index}`)
    const full = selectPage(part(rows, { accounts: open }), undefined, 1, times)
    const later = selectPage(part(rows, { accounts: ["closed"] }), full.next, 1, times)
    assert.deepStrictEqual(rangeAfter(later.next as PageCursor, 1).before?.accounts, ["closed", ...open.slice(0, 255)])
    const none = selectPage(part(rows), one.next, 1, times)
    assert.deepStrictEqual(rangeAfter(none.next as PageCursor, 1).before?.accounts, ["closed"])
  })

  it("has room for those returned while pending, which may be below it by now", () => {
    const waiting = [60, 55].map((time) => at(time, { status: "Pending" }))
    const one = selectPage(part([...waiting, at(50), at(40)]), undefined, 3, times)
    const mined = [at(50), at(49, { hash: "0x60" }), at(48, { hash: "0x55" }), at(40)]
    const { limit } = rangeAfter(one.next as PageCursor, 1)
    const two = selectPage(part(mined.slice(0, limit), { more: mined.length > limit }), one.next, 1, times)
    assert.deepStrictEqual(
      two.transactions.map(({ hash }) => hash),
      ["0x40"]
    )
  })
})

describe("the page after an unconfirmed transaction", () => {
  const hashes = ({ transactions }: ReturnType<typeof selectPage>) => transactions.map(({ hash }) => hash)

  /** The pages of one transaction each; `arriving` come in at the top after each page. */
  const pagesOf = (rows: ReadonlyArray<Transaction>, of: (transaction: Transaction) => number, arriving: number) => {
    const heights = { of: (transaction: Transaction) => position(of(transaction)), max: () => position(1e6) }
    let all = rows
    let cursor: PageCursor | undefined
    const found: Array<string> = []
    for (let count = 0; count < 10; count++) {
      const before = cursor === undefined ? undefined : rangeAfter(cursor, 1).before
      const read = all.filter((row) => before === undefined || of(row) <= numberOf(before.height))
      const page = selectPage(part(read), cursor, 1, heights)
      found.push(...hashes(page))
      cursor = page.next
      if (cursor === undefined) return found
      const top = Array.from({ length: arriving }, (_, index) =>
        transaction(0, { hash: `0xaa${count}${index}`, order: 900 + 10 * count + index })
      )
      all = [...top, ...all]
    }
    return found
  }

  const mined = [50, 40, 40, 30].map((order, index) => transaction(0, { hash: `0x${index}`, order }))
  const pending = transaction(0, { hash: "0xf", order: 45, status: "Pending" })

  for (const arriving of [0, 2]) {
    it(`continues at its time, where it has one, and ${arriving} arrive after each page`, () => {
      assert.deepStrictEqual(
        pagesOf([...mined, pending], ({ order }) => order, arriving),
        ["0x0", "0xf", "0x1", "0x2", "0x3"]
      )
    })

    it(`continues at the block of the next transaction, where it has none, and ${arriving} arrive after each page`, () => {
      const blockOf = ({ order, status }: Transaction) => (status === "Pending" ? Number.POSITIVE_INFINITY : order)
      assert.deepStrictEqual(pagesOf([...mined, pending], blockOf, arriving), ["0xf", "0x0", "0x1", "0x2", "0x3"])
    })
  }
})

describe("pages of sources whose timestamps differ within the tolerance", () => {
  const heights = { ...heightsOf({ facts: ethereum }), tolerance: 60 }
  const dated = (times: Readonly<Record<string, number>>) =>
    part(
      Object.entries(times).map(([hash, timestamp]) =>
        transaction(0, { hash, timestamp: seconds(timestamp), order: timestamp })
      ),
      { more: true }
    )
  const hashes = ({ transactions }: ReturnType<typeof selectPage>) => transactions.map(({ hash }) => hash)

  it("contain once what arrives within the tolerance", () => {
    const one = selectPage(dated({ "0x1": 1_000, "0x2": 900 }), undefined, 1, heights)
    const more = dated({ "0x4": 1_055, "0x3": 1_050, "0x1": 1_000, "0x2": 900 })
    const two = selectPage(more, one.next, 1, heights)
    const three = selectPage(more, two.next, 1, heights)
    const four = selectPage(
      dated({ "0x5": 1_110, "0x4": 1_055, "0x3": 1_050, "0x1": 1_000, "0x2": 900 }),
      three.next,
      1,
      heights
    )
    assert.deepStrictEqual([one, two, three, four].map(hashes), [["0x1"], ["0x4"], ["0x3"], ["0x2"]])
    assert.deepStrictEqual(
      [two, three].map(({ next }) => next?.height),
      [position(1_000), position(1_000)]
    )
  })

  it("do not lose a transaction whose time at the next source is later", () => {
    const one = selectPage(dated({ "0x1": 10_000, "0x2": 9_990 }), undefined, 1, heights)
    const two = selectPage(dated({ "0x1": 10_050, "0x2": 10_040 }), one.next, 1, heights)
    assert.deepStrictEqual([one, two].map(hashes), [["0x1"], ["0x2"]])
  })

  it("do not overlap when the source changes", () => {
    const first = dated({ "0x1": 10_000, "0x2": 9_925, "0x3": 9_000 })
    const second = dated({ "0x1": 9_980, "0x2": 9_900, "0x3": 9_010 })
    const one = selectPage(first, undefined, 1, heights)
    const two = selectPage(first, one.next, 1, heights)
    const three = selectPage(second, two.next, 1, heights)
    assert.deepStrictEqual([one, two, three].map(hashes), [["0x1"], ["0x2"], ["0x3"]])
  })
})
