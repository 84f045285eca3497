import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Memory from "../../src/storage/Memory.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store } from "../../src/storage/Store.ts"
import { describeStores, stores } from "./stores.ts"

const plain = (entries: ReadonlyMap<string, unknown>) => Object.fromEntries(entries)

describeStores("a store of kind", { ...stores, "sqlite in memory": Sqlite.layer(":memory:") }, (kind) => {
  it.effect("returns stored entries and leaves out missing keys", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("prices", 1)
      yield* entries.setMany(
        new Map<string, unknown>([
          ["a", { usd: 1.5 }],
          ["b", [1, "two", null, true]]
        ]),
        "1 minute"
      )
      yield* entries.setMany(new Map([["c", "text"]]), "1 minute")
      assert.deepStrictEqual(plain(yield* entries.getMany(["c", "a", "missing", "b"])), {
        a: { usd: 1.5 },
        b: [1, "two", null, true],
        c: "text"
      })
      assert.strictEqual((yield* entries.getMany([])).size, 0)
      yield* entries.setMany(new Map(), "1 minute")
    }).pipe(Effect.provide(kind))
  )

  it.effect("drops an entry when it expires, and not before", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("prices", 1)
      yield* entries.setMany(new Map([["short", 1]]), "10 seconds")
      yield* entries.setMany(new Map([["long", 2]]), "1 hour")
      yield* entries.setMany(new Map([["endless", 3]]), Duration.infinity)
      yield* entries.setMany(new Map([["never", 4]]), 0)
      const all = ["short", "long", "endless", "never"]
      yield* TestClock.adjust("9999 millis")
      assert.deepStrictEqual(plain(yield* entries.getMany(all)), { short: 1, long: 2, endless: 3 })
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(plain(yield* entries.getMany(all)), { long: 2, endless: 3 })
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(plain(yield* entries.getMany(all)), { endless: 3 })
    }).pipe(Effect.provide(kind))
  )

  it.effect("replaces a value and its time", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("prices", 1)
      yield* entries.setMany(new Map([["a", 1]]), "1 second")
      yield* entries.setMany(new Map([["a", 2]]), "1 minute")
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(plain(yield* entries.getMany(["a"])), { a: 2 })
    }).pipe(Effect.provide(kind))
  )

  it.effect("removes only the given keys", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("prices", 1)
      yield* entries.setMany(
        new Map([
          ["a", 1],
          ["b", 2],
          ["c", 3]
        ]),
        "1 minute"
      )
      yield* entries.remove(["a", "c", "missing"])
      assert.deepStrictEqual(plain(yield* entries.getMany(["a", "b", "c"])), { b: 2 })
    }).pipe(Effect.provide(kind))
  )

  it.effect("separates names and versions, also when one is cleared", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const prices = store.open("prices", 1)
      const newer = store.open("prices", 2)
      const charts = store.open("charts", 1)
      yield* prices.setMany(new Map([["a", "old"]]), "1 minute")
      assert.strictEqual((yield* newer.getMany(["a"])).size, 0)
      yield* newer.setMany(new Map([["a", "new"]]), "1 minute")
      yield* charts.setMany(new Map([["a", "chart"]]), "1 minute")
      yield* prices.clear
      assert.strictEqual((yield* prices.getMany(["a"])).size, 0)
      assert.deepStrictEqual(plain(yield* newer.getMany(["a"])), { a: "new" })
      assert.deepStrictEqual(plain(yield* charts.getMany(["a"])), { a: "chart" })
    }).pipe(Effect.provide(kind))
  )

  it.effect("shares entries that are opened twice", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.open("prices", 1).setMany(new Map([["a", 1]]), "1 minute")
      assert.deepStrictEqual(plain(yield* store.open("prices", 1).getMany(["a"])), { a: 1 })
    }).pipe(Effect.provide(kind))
  )

  it.effect("accepts any text as a key", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("prices", 1)
      const keys = [
        "",
        " ",
        "1",
        "1.0",
        "'",
        '"',
        "\\",
        "a'; DROP TABLE entries; --",
        "%_",
        "ünï",
        "日本語",
        "👛",
        "\n\t",
        "K",
        "k"
      ]
      const all = new Map(keys.map((key, index) => [key, index]))
      yield* entries.setMany(all, "1 minute")
      assert.deepStrictEqual(plain(yield* entries.getMany(keys)), plain(all))
      yield* entries.remove(keys)
      assert.strictEqual((yield* entries.getMany(keys)).size, 0)
    }).pipe(Effect.provide(kind))
  )

  it.effect("grants a lease to one owner at a time, for the claimed time", () =>
    Effect.gen(function* () {
      const { claim, release } = yield* Store
      assert.isTrue(yield* claim("refresh", "a", "10 seconds"))
      assert.isFalse(yield* claim("refresh", "b", "10 seconds"))
      assert.isTrue(yield* claim("charts", "b", "10 seconds"))
      yield* release("refresh", "b")
      assert.isFalse(yield* claim("refresh", "b", "10 seconds"))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* claim("refresh", "a", "10 seconds"))
      yield* TestClock.adjust("9999 millis")
      assert.isFalse(yield* claim("refresh", "b", "10 seconds"))
      yield* TestClock.adjust("1 millis")
      assert.isTrue(yield* claim("refresh", "b", "10 seconds"))
      assert.isFalse(yield* claim("refresh", "a", "10 seconds"))
      yield* release("refresh", "b")
      assert.isTrue(yield* claim("refresh", "a", "10 seconds"))
    }).pipe(Effect.provide(Layer.fresh(kind)))
  )

  it.effect("accepts large values and many keys", () =>
    Effect.gen(function* () {
      const entries = (yield* Store).open("charts", 1)
      const big = {
        series: Array.from({ length: 100_000 }, (_, index) => [index, index / 3]),
        text: "€".repeat(500_000)
      }
      const many = new Map(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, index]))
      yield* entries.setMany(new Map([["big", big]]), "1 minute")
      yield* entries.setMany(many, "1 minute")
      assert.deepStrictEqual((yield* entries.getMany(["big"])).get("big"), big)
      assert.strictEqual((yield* entries.getMany([...many.keys()])).size, 5000)
    }).pipe(Effect.provide(kind))
  )
})

describe("the memory store", () => {
  it.effect("drops the least recently used entry when it is full, separately for each name", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const entries = store.open("prices", 1)
      yield* store.open("charts", 1).setMany(new Map([["a", 1]]), "1 minute")
      yield* entries.setMany(
        new Map([
          ["a", 1],
          ["b", 2],
          ["c", 3]
        ]),
        "1 minute"
      )
      yield* entries.getMany(["a"])
      yield* entries.setMany(
        new Map([
          ["d", 4],
          ["c", 5]
        ]),
        "1 minute"
      )
      assert.deepStrictEqual(plain(yield* entries.getMany(["a", "b", "c", "d"])), { a: 1, c: 5, d: 4 })
      assert.strictEqual((yield* store.open("charts", 1).getMany(["a"])).size, 1)
    }).pipe(Effect.provide(Memory.layer({ capacity: 3 })))
  )

  it.effect("stays within its limit of bytes: the largest name loses its oldest entry", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const charts = store.open("charts", 1)
      const balances = store.open("balances", 1)
      yield* charts.setMany(new Map([["a", "x".repeat(10_000)]]), "1 minute")
      for (let round = 0; round < 100; round++)
        yield* balances.setMany(new Map([[`key-${round}`, "x".repeat(1_000)]]), "1 minute")
      assert.strictEqual((yield* charts.getMany(["a"])).size, 1)
      const found = yield* balances.getMany(Array.from({ length: 100 }, (_, round) => `key-${round}`))
      assert.isAbove(found.size, 20)
      assert.isBelow(found.size, 40)
      assert.isTrue(found.has("key-99"))
      yield* balances.setMany(new Map([["large", "x".repeat(100_000)]]), "1 minute")
      assert.deepStrictEqual([...(yield* balances.getMany(["large", "key-99"])).keys()], ["key-99"])
    }).pipe(Effect.provide(Memory.layer({ maxBytes: 50_000 })))
  )
})
