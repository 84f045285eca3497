import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Lists from "../../src/storage/Lists.ts"
import * as Memory from "../../src/storage/Memory.ts"
import * as Redis from "../../src/storage/redis/Redis.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store, StoreError } from "../../src/storage/Store.ts"
import { redisServer } from "../support/redis.ts"
import { isMissing } from "../support/tools.ts"
import { assert, built, describe, it } from "../support/vitest.ts"
import { describeStores, stores } from "./stores.ts"

type StoreService = Context.Tag.Service<Store>

const over = (store: StoreService) => Effect.provideService(Lists.make("lists", 1, "2 minutes"), Store, store)

describeStores("lists in a store of kind", stores, (kind) => {
  it("are changed in one step, keep the newest texts and expire", function* () {
    const { changeLists, getMany, setMany } = (yield* built(Store, kind)).open("lists", 1)
    yield* changeLists(["a", "b"], { add: ["1", "2", '"ü\\/'] }, "1 minute")
    yield* changeLists(["a"], { add: ["1", "3"], remove: ["2", "none"] }, "1 minute")
    assert.deepStrictEqual<unknown>(Object.fromEntries(yield* getMany(["a", "b"])), {
      a: ['"ü\\/', "1", "3"],
      b: ["1", "2", '"ü\\/']
    })
    yield* changeLists(["b"], { remove: ["1", "2", '"ü\\/'] }, "1 minute")
    assert.deepStrictEqual<unknown>((yield* getMany(["b"])).get("b"), [])
    const many = Array.from({ length: 60 }, (_, index) => `${index}`)
    yield* changeLists(["a"], { add: many }, "1 minute")
    assert.deepStrictEqual<unknown>((yield* getMany(["a"])).get("a"), many.slice(10))
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* getMany(["a"])).size, 0)
    yield* changeLists(["a"], { add: ["new"] }, "1 minute")
    assert.deepStrictEqual<unknown>((yield* getMany(["a"])).get("a"), ["new"])
    for (const other of [{ a: 1 }, ["1", 2, null], null, "text"]) {
      yield* setMany(new Map([["a", other]]), "1 minute")
      yield* changeLists(["a"], { add: ["new"] }, "1 minute")
      assert.deepStrictEqual<unknown>((yield* getMany(["a"])).get("a"), Array.isArray(other) ? ["1", "new"] : ["new"])
    }
  })
})

/** Two stores that share their entries, as those of two processes. */
const shared: Readonly<
  Record<string, Effect.Effect<ReadonlyArray<Layer.Layer<Store, unknown>>, unknown, Scope.Scope>>
> = {
  sqlite: Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()).pipe(
      Effect.provide(BunFileSystem.layer)
    ),
    (folder) => [1, 2].map(() => Layer.fresh(Sqlite.layer(`${folder}/store.sqlite`)))
  ),
  redis: Effect.map(redisServer(), ({ url }) =>
    [1, 2].map(() => Layer.fresh(Redis.layer(Redacted.make(url), { strict: true })))
  )
}

for (const [kind, both] of Object.entries(shared))
  describe.skipIf(kind === "redis" && isMissing("redis-server"))(`lists of two processes over ${kind}`, () => {
    it("lose no change of another process", function* () {
      const lists = yield* Effect.forEach(yield* both, (store) => Effect.flatMap(built(Store, store), over))
      const texts = Array.from({ length: 40 }, (_, index) => `${index}`)
      yield* Effect.forEach(texts, (text, index) => lists[index % 2]?.change(["a"], { add: [text] }) ?? Effect.void, {
        concurrency: "unbounded"
      })
      for (const { read } of lists) {
        const found = (yield* read(["a"])).lists.get("a") ?? []
        assert.deepStrictEqual([...found].sort(), [...texts].sort())
      }
      yield* lists[0]?.change(["a"], { remove: texts.slice(1) }) ?? Effect.void
      const [, second] = lists
      assert.deepStrictEqual((yield* second?.read(["a"]) ?? Effect.die("none")).lists.get("a"), ["0"])
    })
  })

describe("lists while the store fails", () => {
  const failure = (operation: "getMany" | "changeLists") => new StoreError({ operation, cause: new Error("down") })

  /** A store whose reads or writes can fail, or that can lose its entries. */
  const failing = Effect.gen(function* () {
    const store = yield* built(Store, Memory.layer())
    const state = { reads: true, writes: true, hangs: false, written: 0 }
    const entries = store.open("list:lists", 1)
    const other: StoreService = {
      ...store,
      open: () => ({
        ...entries,
        getMany: (keys) => (state.reads ? entries.getMany(keys) : failure("getMany")),
        changeLists: (...change) => {
          if (state.hangs) return Effect.never
          if (!state.writes) return failure("changeLists")
          state.written++
          return entries.changeLists(...change)
        }
      })
    }
    return { clear: entries.clear, lists: yield* over(other), others: yield* over(store), state }
  })

  it("stay in the process, and are written once it works, together with those of others", function* () {
    const { lists, others, state } = yield* failing
    state.writes = false
    yield* lists.change(["a", "b"], { add: ["own", "gone"] })
    yield* lists.change(["a"], { remove: ["gone"] })
    yield* others.change(["a"], { add: ["other"] })
    const both = { isComplete: true, lists: new Map([["a", ["other", "own"]]]) }
    assert.deepStrictEqual(yield* lists.read(["a"]), both)
    yield* TestClock.adjust("1 minute")
    state.reads = false
    assert.deepStrictEqual(yield* lists.read(["a"]), { isComplete: false, lists: new Map([["a", ["own"]]]) })
    state.reads = true
    state.writes = true
    assert.deepStrictEqual((yield* others.read(["a", "b"])).lists.get("a"), ["other"])
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* others.read(["a"]), both)
    yield* others.change(["a"], { remove: ["own"] })
    assert.deepStrictEqual((yield* lists.read(["a"])).lists.get("a"), ["other"])
    assert.deepStrictEqual((yield* others.read(["b"])).lists.get("b"), ["own", "gone"])
    const { written } = state
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(state.written, written)
  })

  it("lose every text that was removed meanwhile, once it works", function* () {
    const { lists, others, state } = yield* failing
    yield* others.change(["a"], { add: ["1", "2", "3"] })
    state.writes = false
    for (const text of ["1", "2"]) yield* lists.change(["a"], { remove: [text] })
    state.writes = true
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual((yield* others.read(["a"])).lists.get("a"), ["3"])
  })

  it("are written later if the caller is interrupted", function* () {
    const { lists, others, state } = yield* failing
    state.hangs = true
    const fiber = yield* Effect.fork(lists.change(["a"], { add: ["own"] }))
    yield* TestClock.adjust("100 millis")
    yield* Fiber.interrupt(fiber)
    state.hangs = false
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual((yield* others.read(["a"])).lists.get("a"), ["own"])
  })

  it("stay in the process if the store loses them, until they expire", function* () {
    const { clear, lists } = yield* failing
    yield* lists.change(["a"], { add: ["own"] })
    yield* clear
    assert.deepStrictEqual((yield* lists.read(["a", "b"])).lists.get("a"), ["own"])
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual((yield* lists.read(["a"])).lists.get("a"), [])
  })

  it("are not written after they have expired", function* () {
    const { lists, others, state } = yield* failing
    state.writes = false
    yield* lists.change(["a"], { add: ["own"] })
    yield* TestClock.adjust("2 minutes")
    state.writes = true
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(state.written, 0)
    assert.deepStrictEqual((yield* others.read(["a"])).lists.get("a"), [])
  })

  it("need no store if nothing is read or changed", function* () {
    const { lists, state } = yield* failing
    Object.assign(state, { reads: false, writes: false })
    yield* lists.change([], { add: ["text"] })
    assert.deepStrictEqual(yield* lists.read([]), { isComplete: true, lists: new Map() })
  })
})
