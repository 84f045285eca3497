import { Database } from "bun:sqlite"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as Sqlite from "../../src/stores/Sqlite.ts"
import { Store } from "../../src/stores/Store.ts"

const folder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

/** A store of its own over the file, closed when the effect ends. */
const opened = <A, E>(path: string, effect: Effect.Effect<A, E, Store>) =>
  Effect.scoped(Effect.provide(effect, Layer.fresh(Sqlite.layer(path))))

const set = (key: string, value: unknown) =>
  Effect.flatMap(Store, (store) => store.open("prices", 1).setMany(new Map([[key, value]]), "1 hour"))

const get = (key: string) =>
  Effect.map(
    Effect.flatMap(Store, (store) => store.open("prices", 1).getMany([key])),
    (found) => found.get(key)
  )

const problem = (path: string) => Effect.flip(opened(path, Effect.void))

layer(BunFileSystem.layer)("the sqlite store", (it) => {
  it.scoped("keeps its entries when it is closed and opened again", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      yield* opened(path, set("a", { usd: 1 }))
      assert.deepStrictEqual(yield* opened(path, get("a")), { usd: 1 })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* opened(path, get("a")), undefined)
    })
  )

  it.scoped("leaves one whole file behind when it is closed", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* opened(`${path}/store.sqlite`, set("a", 1))
      assert.deepStrictEqual(yield* (yield* FileSystem.FileSystem).readDirectory(path), ["store.sqlite"])
    })
  )

  it.scoped("is shared by two who have the same file open", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      yield* opened(
        path,
        Effect.gen(function* () {
          yield* opened(path, set("a", 1))
          assert.strictEqual(yield* get("a"), 1)
        })
      )
    })
  )

  it.scoped("deletes expired rows at the start and every five minutes", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      const rows = Effect.acquireUseRelease(
        Effect.sync(() => new Database(path, { readonly: true })),
        (database) => Effect.sync(() => database.query("SELECT key FROM entries").all().length),
        (database) => Effect.sync(() => database.close())
      )
      const many = new Map(Array.from({ length: 2500 }, (_, index) => [`key-${index}`, index]))
      yield* opened(
        path,
        Effect.gen(function* () {
          const entries = (yield* Store).open("prices", 1)
          yield* entries.setMany(many, "1 minute")
          yield* entries.setMany(new Map([["long", 1]]), "6 minutes")
          yield* TestClock.adjust("4 minutes")
          assert.strictEqual(yield* rows, 2501)
          yield* TestClock.adjust("61 seconds")
          assert.strictEqual(yield* rows, 1)
        })
      )
      yield* TestClock.adjust("10 minutes")
      yield* opened(path, TestClock.adjust("1 second"))
      assert.strictEqual(yield* rows, 0)
    })
  )

  it.scoped("fails what comes after it was closed, and what is no JSON", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      const store = yield* opened(path, Store)
      const entries = store.open("prices", 1)
      const errors = [
        yield* Effect.flip(entries.getMany(["a"])),
        yield* Effect.flip(entries.setMany(new Map([["a", 1]]), "1 minute")),
        yield* Effect.flip(entries.remove(["a"])),
        yield* Effect.flip(entries.clear),
        yield* Effect.flip(store.claim("refresh", "a", "1 minute")),
        yield* Effect.flip(store.release("refresh", "a")),
        yield* Effect.flip(opened(`${path}2`, set("a", 1n)))
      ]
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, "operation" in error ? error.operation : ""]),
        ["getMany", "setMany", "remove", "clear", "claim", "release", "setMany"].map((operation) => [
          "StoreError",
          operation
        ])
      )
    })
  )

  it.scoped("stores all of many entries or none of them", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      yield* opened(
        path,
        Effect.gen(function* () {
          const entries = (yield* Store).open("prices", 1)
          yield* Effect.flip(
            entries.setMany(
              new Map<string, unknown>([
                ["a", 1],
                ["b", 1n]
              ]),
              "1 minute"
            )
          )
          assert.strictEqual(yield* get("a"), undefined)
          yield* set("a", 2)
          assert.strictEqual(yield* get("a"), 2)
        })
      )
    })
  )

  it.scoped("refuses to start on a file that is no database, and says so to the operator", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/store.sqlite`
      yield* (yield* FileSystem.FileSystem).writeFileString(path, "this is no database ".repeat(500))
      const error = yield* problem(path)
      assert.strictEqual(error._tag, "StoreOpenError")
      assert.include(error.message, `SQLITE_PATH: "${path}" cannot be used: file is not a database.`)
    })
  )

  it.scoped("refuses to start on a damaged file, on another program's, on a folder and below a missing folder", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* folder
      yield* opened(`${path}/damaged`, set("a", 1))
      const whole = yield* files.readFile(`${path}/damaged`)
      yield* files.writeFile(
        `${path}/damaged`,
        whole.map((byte, index) => (index >= 100 && index < 4096 ? 0xff : byte))
      )
      yield* Effect.sync(() => {
        const database = new Database(`${path}/another`, { create: true })
        database.run("CREATE TABLE entries (id INTEGER)")
        database.close()
      })
      for (const name of ["damaged", "another", "", "missing/store.sqlite"]) {
        const error = yield* problem(`${path}/${name}`)
        assert.strictEqual(error._tag, "StoreOpenError", name)
        assert.include(error.message, `SQLITE_PATH: "${path}/${name}" cannot be used: `)
      }
    })
  )
})
