import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { seconds, shift } from "../../../src/domain/units.ts"
import * as Archive from "../../../src/features/history/Archive.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
import { clock, friend, holder, part, second, transaction } from "./histories.ts"

const finality = 60

/** An archive, and the list of keys written to its store. */
const archive = Effect.gen(function* () {
  const written: Array<string> = []
  const store = yield* Store
  const counting = Layer.succeed(Store, {
    ...store,
    open: (name, version) => {
      const entries = store.open(name, version)
      return {
        ...entries,
        setMany: (values, time) =>
          Effect.suspend(() => {
            written.push(...values.keys())
            return entries.setMany(values, time)
          })
      }
    }
  })
  yield* TestClock.setTime(clock)
  return { written, ...(yield* Effect.provide(Archive.make, counting)) }
})

describe("the archived part of a history", () => {
  const archived = [transaction(1_000), transaction(2_000)]

  for (const [name, next, writes] of [
    ["is not written again if there are no new transactions", part(archived), 1],
    [
      "is not written again if equal transactions were read again",
      part(archived.map((archivedRow) => ({ ...archivedRow }))),
      1
    ],
    ["is not written again for transactions that are not final", part([transaction(10), ...archived]), 1],
    ["is not written again if only the sources differ", part(archived, { sources: ["another"] }), 1],
    [
      "is not written again with new ones of a poorer source",
      part([transaction(100), ...archived], { provisional: true }),
      1
    ],
    ["is written again with new final transactions", part([transaction(100), ...archived]), 2],
    ["is written again if `more` has changed", part(archived, { more: true }), 2],
    ["is written again if a transaction has changed", part([transaction(1_000, { fee: 22n }), transaction(2_000)]), 2]
  ] as const)
    it.scoped(name, () =>
      Effect.gen(function* () {
        const { read, write, written } = yield* archive
        yield* write("key", part(archived), finality, undefined, true)
        yield* TestClock.adjust(0)
        const stored = (yield* read(["key"])).get("key")
        assert.deepStrictEqual(stored?.transactions, archived)
        yield* write("key", next, finality, stored, false)
        yield* TestClock.adjust(0)
        assert.lengthOf(written, writes)
        const again = (yield* read(["key"])).get("key")
        if (writes === 2) assert.deepStrictEqual(again?.transactions, next.transactions)
        else assert.deepStrictEqual(again, stored)
      }).pipe(Effect.provide(Memory.layer()))
    )

  it.scoped("is replaced by a list that does not reach it only if that list is longer", () =>
    Effect.gen(function* () {
      const { read, write } = yield* archive
      yield* write("key", part(archived, { more: true }), finality, undefined, true)
      yield* TestClock.adjust(0)
      const stored = (yield* read(["key"])).get("key")
      const newest = part([transaction(100)], { more: true })
      yield* write("key", newest, finality, stored, false)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual((yield* read(["key"])).get("key"), stored)
      const longer = part([transaction(100), transaction(200), transaction(300)], { more: true })
      yield* write("key", longer, finality, stored, false)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual((yield* read(["key"])).get("key")?.transactions, longer.transactions)
    }).pipe(Effect.provide(Memory.layer()))
  )

  describe("with transactions that were read now", () => {
    const day = 24 * 3600
    const sent = { address: holder, amount: 5n }
    const [newest, middle, oldest] = [transaction(1_000), transaction(2_000), transaction(3_000)]
    const stored = (more: boolean, ...transactions: ReadonlyArray<Transaction>): Archive.ArchivedHistory => ({
      transactions,
      from: transactions[0]?.timestamp ?? second,
      more,
      sources: ["explorer"],
      listedBy: ["explorer"],
      gaps: [],
      accounts: [],
      readAt: second
    })
    const rows = (...args: Parameters<typeof Archive.joined>) => Archive.joined(...args).transactions
    const all = stored(false, newest, middle, oldest)

    it("keeps its rows, except those that are richer now", () => {
      const of = (change: Partial<Transaction>) =>
        rows(part([transaction(1_000, change), middle, oldest]), all, false)[0] === newest
      const token = { address: friend, amount: 7n, token: "0xdd" }
      assert.isFalse(of({ from: [...newest.from, token] }))
      assert.isFalse(of({ to: [...newest.to, token] }))
      assert.isTrue(of({}))
      assert.isTrue(of({ to: [{ ...sent, amount: 4n }, token, token] }))
      assert.isTrue(of({ status: "Failed", from: [...newest.from, token] }))
      assert.isTrue(of({ from: [] }))
      assert.isTrue(of({ fee: null, from: [] }))
      const unpaid = transaction(1_000, { fee: null })
      assert.deepStrictEqual(rows(part([newest]), stored(false, unpaid), false), [newest])
      const more = { ...newest, from: [...newest.from, token] }
      assert.deepStrictEqual(rows(part([more], { missing: ["late"] }), all, false)[0], newest)
      assert.deepStrictEqual(rows(part([more], { provisional: true }), all, false)[0], newest)
    })

    it("is replaced where it was read again, as far as that reaches", () => {
      const late = transaction(1_500)
      const changed = transaction(2_000, { from: [] })
      const again = [newest, late, changed]
      assert.deepStrictEqual(rows(part([...again, oldest]), all, true), [...again, oldest])
      assert.deepStrictEqual(rows(part(again, { more: true }), all, true), [...again, oldest])
      assert.deepStrictEqual(rows(part([newest, oldest], { more: true }), all, true), [newest, oldest])
      assert.deepStrictEqual(rows(part([newest]), all, true), [newest])
      for (const poor of [{ missing: ["late"] }, { provisional: true }])
        assert.deepStrictEqual(rows(part([newest, late, changed], poor), all, true), [newest, late, middle, oldest])
    })

    it("is read again after a day, if a clock was set, and if it is too short", () => {
      const why = (archived: Archive.ArchivedHistory | undefined, limit: number, after: number) =>
        Archive.whyAll(archived, limit, shift(second, after))
      assert.isUndefined(why(all, 50, day - 1))
      assert.strictEqual(why(all, 50, day), "day")
      assert.isUndefined(why(all, 50, 1 - day))
      assert.strictEqual(why(all, 50, -day), "day")
      const part = stored(true, newest, middle)
      assert.deepStrictEqual([why(part, 2, 0), why(part, 3, 0), why(undefined, 1, 0)], [undefined, "limit", "first"])
    })

    it("states the range of newer transactions, and the older ones that are known", () => {
      const known = (...rows: ReadonlyArray<Transaction>) => new Set(rows.map(({ hash }) => hash))
      const since = shift(second, -1_000 - 7_200)
      const old = transaction(9_000)
      assert.deepStrictEqual(Archive.newer(stored(false, newest, old)), {
        since,
        late: { after: seconds(0), known: known(newest, old) },
        after: old.hash
      })
      assert.deepStrictEqual(Archive.newer(stored(true, newest, middle)), {
        since,
        late: { after: middle.timestamp, known: known(newest, middle) }
      })
    })
  })
})
