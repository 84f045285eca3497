import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Archive from "../../../src/features/history/Archive.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
import { clock, part, transaction } from "./histories.ts"

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
    ["is not written again if equal transactions were read again", part(archived.map((item) => ({ ...item }))), 1],
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
        yield* write("key", part(archived), finality, undefined)
        yield* TestClock.adjust(0)
        const stored = (yield* read(["key"])).get("key")
        assert.deepStrictEqual(stored?.transactions, archived)
        yield* write("key", next, finality, stored)
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
      yield* write("key", part(archived, { more: true }), finality, undefined)
      yield* TestClock.adjust(0)
      const stored = (yield* read(["key"])).get("key")
      const newest = part([transaction(100)], { more: true })
      yield* write("key", newest, finality, stored)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual((yield* read(["key"])).get("key"), stored)
      const longer = part([transaction(100), transaction(200), transaction(300)], { more: true })
      yield* write("key", longer, finality, stored)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual((yield* read(["key"])).get("key")?.transactions, longer.transactions)
    }).pipe(Effect.provide(Memory.layer()))
  )
})
