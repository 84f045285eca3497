import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Memory from "../../src/storage/Memory.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store } from "../../src/storage/Store.ts"
import { assert, built, describe, it } from "../support/vitest.ts"
import { describeStores, stores } from "./stores.ts"

const plain = (entries: ReadonlyMap<string, unknown>) => Object.fromEntries(entries)

describeStores("a store of kind", { ...stores, "sqlite in memory": Sqlite.layer(":memory:") }, (kind) => {
  it("returns stored entries and leaves out missing keys", function* () {
    const entries = (yield* built(Store, kind)).open("prices", 1)
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
  })

  it("drops an entry when it expires, and not before", function* () {
    const entries = (yield* built(Store, kind)).open("prices", 1)
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
  })

  it("replaces a value and its time", function* () {
    const entries = (yield* built(Store, kind)).open("prices", 1)
    yield* entries.setMany(new Map([["a", 1]]), "1 second")
    yield* entries.setMany(new Map([["a", 2]]), "1 minute")
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual(plain(yield* entries.getMany(["a"])), { a: 2 })
  })

  it("removes only the given keys", function* () {
    const entries = (yield* built(Store, kind)).open("prices", 1)
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
  })

  it("separates names and versions, also when one is cleared", function* () {
    const store = yield* built(Store, kind)
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
  })

  it("shares entries that are opened twice", function* () {
    const store = yield* built(Store, kind)
    yield* store.open("prices", 1).setMany(new Map([["a", 1]]), "1 minute")
    assert.deepStrictEqual(plain(yield* store.open("prices", 1).getMany(["a"])), { a: 1 })
  })

  it("accepts any text as a key", function* () {
    const entries = (yield* built(Store, kind)).open("prices", 1)
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
  })

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

  it("accepts large values and many keys", function* () {
    const entries = (yield* built(Store, kind)).open("charts", 1)
    const big = {
      series: Array.from({ length: 100_000 }, (_, index) => [index, index / 3]),
      text: "€".repeat(500_000)
    }
    const many = new Map(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, index]))
    yield* entries.setMany(new Map([["big", big]]), "1 minute")
    yield* entries.setMany(many, "1 minute")
    assert.deepStrictEqual((yield* entries.getMany(["big"])).get("big"), big)
    assert.strictEqual((yield* entries.getMany([...many.keys()])).size, 5000)
  })
})

describe("the memory store", () => {
  it("drops the least recently used entry when it is full, separately for each name", function* () {
    const store = yield* built(Store, Memory.layer({ capacity: 3 }))
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
  })

  it("stays within its limit of bytes: the largest name loses its oldest entry", function* () {
    const store = yield* built(Store, Memory.layer({ maxBytes: 50_000 }))
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
  })
})
