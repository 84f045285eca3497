import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { NewestBlock, ReadFailure } from "../../../src/chains/Chain.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { height } from "../../../src/domain/units.ts"
import { toEntry } from "../../../src/features/history/entries.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { chain, clock, holder, network, over, transaction } from "./histories.ts"

/** The confirmations of these transactions, and how many times the newest block was read for them. */
const confirmed = Effect.fnUntraced(function* (
  transactions: ReadonlyArray<Transaction>,
  block: Effect.Effect<NewestBlock, ReadFailure>,
  unpricedWithin?: number
) {
  yield* TestClock.setTime(clock)
  let reads = 0
  const counted = Effect.zipRight(
    Effect.sync(() => reads++),
    block
  )
  const ethereum = network(
    "ethereum",
    chain(() => transactions),
    counted
  )
  const found = yield* Effect.flatMap(History, (history) =>
    history.transactions({ ethereum: [holder], Ethereum: [holder] }, 50, undefined, unpricedWithin)
  ).pipe(Effect.provide(Layer.provide(over(ethereum), Layer.fresh(Memory.layer()))), Effect.scoped)
  const shown = found.map(({ histories }) =>
    histories.flatMap(({ surroundings, transactions }) =>
      transactions.map(([each]) => toEntry(each, [], surroundings).confirmations)
    )
  )
  assert.deepStrictEqual(shown[1], shown[0])
  return { confirmations: shown[0], reads }
})

const newest = Effect.succeed({ height: height(100) })
const { block: _, ...pending } = transaction(0, { status: "Pending" })
const old = transaction(86_400, { block: height(5) })

describe("the confirmations of a transaction", () => {
  it("count from its block to the newest, and from 60 seconds after that was read not at all", function* () {
    const transactions = [
      pending,
      transaction(1, { block: height(106) }),
      transaction(2, { block: height(105) }),
      transaction(3, { block: height(101) }),
      transaction(4, { block: height(100) }),
      transaction(5, { block: height(98) }),
      transaction(6),
      old
    ]
    assert.deepStrictEqual(yield* confirmed(transactions, newest), {
      confirmations: [0, null, 1, 1, 1, 3, null, 96],
      reads: 1
    })
  })

  it("are null without a read if all transactions of the list are final, pending or without a block", function* () {
    assert.deepStrictEqual(yield* confirmed([pending, transaction(5), old], newest), {
      confirmations: [0, null, null],
      reads: 0
    })
  })

  it("are null if the newest block could not be read, and are not read for a history without prices", function* () {
    const young = transaction(5, { block: height(98) })
    const failed = Effect.fail<ReadFailure>({ reason: "upstream_error", message: "could not be reached" })
    assert.deepStrictEqual(yield* confirmed([young], failed), { confirmations: [null], reads: 1 })
    assert.deepStrictEqual(yield* confirmed([young], newest, 1_000), { confirmations: [null], reads: 0 })
  })
})
