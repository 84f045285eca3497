import { Database } from "bun:sqlite"
import { chmodSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { inStoreTime, Store } from "../../src/storage/Store.ts"
import { assert, layer } from "../support/vitest.ts"

const folder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

/** Runs the effect with a new store over the file, which is closed when the effect ends. */
const opened = <A, E, R>(path: string, effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(effect, Layer.fresh(Sqlite.layer(path))))

const set = (key: string, value: unknown) =>
  Effect.flatMap(Store, (store) => store.open("prices", 1).setMany(new Map([[key, value]]), "1 hour"))

const get = (key: string) =>
  Effect.map(
    Effect.flatMap(Store, (store) => store.open("prices", 1).getMany([key])),
    (found) => found.get(key)
  )

/** The file as another process would use it. */
const database = <A>(path: string, use: (file: Database) => A) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Database(path, { create: true })),
    (file) => Effect.sync(() => use(file)),
    (file) => Effect.sync(() => file.close())
  )

/** Takes the write lock; the resulting effect releases it. */
const locked = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const file = new Database(path)
        file.run("BEGIN IMMEDIATE")
        return file
      }),
      (file) => Effect.sync(() => file.close())
    ),
    (file) => Effect.sync(() => file.run("ROLLBACK"))
  )

const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  return { lines, logger: Logger.replace(Logger.defaultLogger, logger) }
}

const strictly = (path: string) =>
  Effect.scoped(Effect.provide(Store, Layer.fresh(Sqlite.layer(path, { maxBytes: 1e8, strict: true }))))

layer(BunFileSystem.layer)("the sqlite store", (it) => {
  it("keeps its entries when it is closed and opened again", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(path, set("a", { usd: 1 }))
    assert.deepStrictEqual(yield* opened(path, get("a")), { usd: 1 })
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* opened(path, get("a")), undefined)
  })

  it("leaves a single complete file when it is closed", function* () {
    const path = yield* folder
    yield* opened(`${path}/store.sqlite`, set("a", 1))
    assert.deepStrictEqual(yield* (yield* FileSystem.FileSystem).readDirectory(path), ["store.sqlite"])
  })

  it("is shared by two stores that have the same file open", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(
      path,
      Effect.gen(function* () {
        yield* opened(path, set("a", 1))
        assert.strictEqual(yield* get("a"), 1)
      })
    )
  })

  it("deletes expired rows at the start and every five minutes", function* () {
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

  it("fails operations after it was closed, and writes of values that are not JSON", function* () {
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

  it("stores either all entries of a write or none", function* () {
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

  it("renames its damaged file, with the time, logs it, and starts with a new file", function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* folder
    yield* opened(`${path}/whole`, set("a", "x".repeat(100_000)))
    const whole = yield* files.readFile(`${path}/whole`)
    const damaged = {
      truncated: whole.slice(0, 9_000),
      malformed: whole.map((byte, index) => (index >= 100 && index < 4096 ? 0xff : byte))
    }
    for (const [name, bytes] of Object.entries(damaged)) {
      const file = `${path}/${name}`
      yield* files.writeFile(file, bytes)
      const { lines, logger } = logged()
      const found = yield* opened(file, Effect.zipRight(set("b", 1), get("b"))).pipe(Effect.provide(logger))
      assert.strictEqual(found, 1, name)
      const [aside = ""] = (yield* files.readDirectory(path)).filter((entry) => entry.startsWith(`${name}.damaged-`))
      assert.match(aside, /\.damaged-\d{8}T\d{6}Z$/)
      assert.deepStrictEqual(yield* files.readFile(`${path}/${aside}`), Buffer.from(bytes), name)
      assert.deepStrictEqual(lines.length, 1, name)
      assert.include(lines[0] ?? "", `"${file}" is damaged`)
      assert.include(lines[0] ?? "", `renamed to "${path}/${aside}"`)
      assert.strictEqual(yield* opened(file, get("b")), 1, name)
    }
  })

  it("renames a file whose damage is found later, and continues with a new file", function* () {
    const files = yield* FileSystem.FileSystem
    const path = `${yield* folder}/store.sqlite`
    const many = new Map(Array.from({ length: 2000 }, (_, index) => [`key-${index}`, "x".repeat(500)]))
    const all = Effect.flatMap(Store, (store) => store.open("prices", 1).getMany([...many.keys()]))
    yield* opened(
      path,
      Effect.flatMap(Store, (store) => store.open("prices", 1).setMany(many, "1 hour"))
    )
    const whole = yield* files.readFile(path)
    yield* files.writeFile(
      path,
      whole.map((byte, index) => (index > 100_000 && index < 900_000 ? 0x5a : byte))
    )
    const { lines, logger } = logged()
    yield* opened(
      path,
      Effect.gen(function* () {
        assert.deepStrictEqual(lines, [])
        assert.strictEqual((yield* Effect.flip(all))._tag, "StoreError")
        assert.strictEqual((yield* all).size, 0)
        yield* set("a", 1)
        assert.strictEqual(yield* get("a"), 1)
      })
    ).pipe(Effect.provide(logger))
    assert.strictEqual(lines.filter((line) => line.includes("is damaged")).length, 1)
    assert.match((yield* files.readDirectory(dirname(path))).join(), /store\.sqlite\.damaged-\d{8}T\d{6}Z/)
  })

  it("follows another process that has renamed the file, and uses its new file", function* () {
    const files = yield* FileSystem.FileSystem
    const path = `${yield* folder}/store.sqlite`
    yield* opened(
      path,
      Effect.gen(function* () {
        yield* set("a", 1)
        for (const suffix of ["", "-wal", "-shm"]) yield* files.rename(`${path}${suffix}`, `${path}.damaged${suffix}`)
        yield* set("b", 2)
        assert.strictEqual(yield* get("b"), 2)
        assert.strictEqual(yield* get("a"), undefined)
      })
    )
    assert.strictEqual(yield* opened(path, get("b")), 2)
  })

  it("refuses to start on a damaged file if it is strict, with an error for the operator", function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* folder
    yield* opened(`${path}/store.sqlite`, set("a", "x".repeat(100_000)))
    yield* files.writeFile(`${path}/store.sqlite`, (yield* files.readFile(`${path}/store.sqlite`)).slice(0, 9_000))
    const error = yield* Effect.flip(strictly(`${path}/store.sqlite`))
    assert.strictEqual(error._tag, "StoreOpenError")
    assert.include(
      error.message,
      `SQLITE_PATH: "${path}/store.sqlite" cannot be used: SQLITE_CORRUPT: database disk image is malformed;`
    )
    assert.deepStrictEqual(yield* files.readDirectory(path), ["store.sqlite"])
  })

  it("does not change the file of a newer version, and starts without it unless strict", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(path, set("a", 1))
    const version = () => database(path, (file) => file.query("PRAGMA user_version").get())
    yield* database(path, (file) => file.run("PRAGMA user_version = 3"))
    yield* database(path, (file) => file.run("ALTER TABLE entries RENAME COLUMN value TO content"))
    const { lines, logger } = logged()
    yield* Effect.provide(opened(path, Effect.void), logger)
    assert.match(lines.join(), /cannot be used now: it was written by a newer version/)
    assert.deepStrictEqual(yield* version(), { user_version: 3 })
    const rows = yield* database(path, (file) => file.query("SELECT key, content FROM entries").all())
    assert.deepStrictEqual(rows, [{ key: "a", content: "1" }])
    const strict = yield* Effect.flip(strictly(path))
    assert.include(strict.message, "it was written by a newer version of this program (its tables have version 3)")
  })

  it("leaves the file of another program byte for byte, and starts without a cache unless strict", function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* folder
    const others: Readonly<Record<string, (file: Database) => void>> = {
      "one table": (file) => file.run("CREATE TABLE entries (id INTEGER)"),
      "no table": (file) => file.run("PRAGMA user_version = 1"),
      "our tables and one more": (file) => {
        for (const name of ["entries", "leases", "quotas", "users"]) file.run(`CREATE TABLE ${name} (id INTEGER)`)
        file.run("PRAGMA user_version = 2")
      },
      "another id": (file) => file.run("PRAGMA application_id = 7")
    }
    yield* files.makeDirectory(`${path}/a #1?`)
    for (const [name, write] of Object.entries(others)) yield* database(`${path}/a #1?/${name}`, write)
    yield* files.writeFileString(`${path}/a #1?/text`, "# notes\n")
    for (const name of [...Object.keys(others), "text"]) {
      const file = `${path}/a #1?/${name}`
      chmodSync(file, 0o664)
      const before = [yield* files.readFile(file), statSync(file)] as const
      const { lines, logger } = logged()
      yield* Effect.provide(opened(file, Effect.void), logger)
      const told = "it is not a cache of this program, and is left unchanged;"
      assert.include(lines.join(), `SQLITE_PATH: "${file}" cannot be used now: ${told}`)
      assert.include((yield* Effect.flip(strictly(file))).message, "it is not a cache of this program")
      const { mode, mtimeMs } = statSync(file)
      assert.deepStrictEqual(
        [yield* files.readFile(file), mode, mtimeMs],
        [before[0], before[1].mode, before[1].mtimeMs]
      )
    }
    assert.lengthOf(yield* files.readDirectory(`${path}/a #1?`), 5)
  })

  it("uses a file that 0.1.0 wrote, and marks it", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(path, set("a", 1))
    const id = database(path, (file) => file.query("PRAGMA application_id").get())
    assert.deepStrictEqual(yield* id, { application_id: 0x776c6461 })
    yield* database(path, (file) => file.run("PRAGMA application_id = 0"))
    assert.strictEqual(yield* opened(path, get("a")), 1)
    assert.deepStrictEqual(yield* id, { application_id: 0x776c6461 })
  })

  it("starts a file of an earlier version again without its rows", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(path, set("a", 1))
    yield* database(path, (file) => file.run("PRAGMA user_version = 1"))
    assert.deepStrictEqual(yield* opened(path, Effect.zipRight(set("b", 2), Effect.all([get("a"), get("b")]))), [
      undefined,
      2
    ])
    assert.deepStrictEqual(yield* database(path, (file) => file.query("PRAGMA user_version").get()), {
      user_version: 2
    })
  })

  it("starts without a folder, on a folder and where it may not write, unless strict, and says why", function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* folder
    const problems = { "": "EISDIR: it is a folder", "missing/store.sqlite": "ENOENT: no such file or directory" }
    for (const [name, problem] of Object.entries(problems)) {
      const { lines, logger } = logged()
      yield* Effect.provide(opened(`${path}/${name}`, Effect.void), logger)
      assert.include(lines.join(), `SQLITE_PATH: "${path}/${name}" cannot be used now: ${problem}`)
      const error = yield* Effect.flip(strictly(`${path}/${name}`))
      assert.include(error.message, `SQLITE_PATH: "${path}/${name}" cannot be used: ${problem}`)
    }
    assert.deepStrictEqual(yield* files.readDirectory(path), [])
  })

  it("uses the file as soon as it can, after pauses that double up to a minute", function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* folder
    const { lines, logger } = logged()
    yield* Effect.provide(
      opened(
        `${path}/later/store.sqlite`,
        Effect.gen(function* () {
          const written = yield* Effect.fork(Effect.either(set("a", 1)))
          yield* TestClock.adjust("5 minutes")
          assert.isTrue(Either.isLeft(yield* Fiber.join(written)))
          yield* files.makeDirectory(`${path}/later`)
          yield* TestClock.adjust("1 minute")
          yield* set("a", 2)
          assert.strictEqual(yield* get("a"), 2)
        })
      ),
      logger
    )
    assert.lengthOf(
      lines.filter((line) => line.includes("cannot be used now") || line.includes("cannot be written")),
      1
    )
    assert.lengthOf(
      lines.filter((line) => line.includes("can be written again")),
      1
    )
  })

  it("makes its file readable for its owner only, also an existing file", function* () {
    const modes = (path: string) =>
      ["", "-wal", "-shm"].map((suffix) => (statSync(`${path}${suffix}`).mode & 0o777).toString(8))
    const at = yield* folder
    yield* (yield* FileSystem.FileSystem).writeFileString(`${at}/old.sqlite`, "")
    chmodSync(`${at}/old.sqlite`, 0o644)
    for (const path of [`${at}/new.sqlite`, `${at}/old.sqlite`])
      assert.deepStrictEqual(
        yield* opened(
          path,
          Effect.zipRight(
            set("a", 1),
            Effect.sync(() => modes(path))
          )
        ),
        ["600", "600", "600"]
      )
  })
})

layer(BunFileSystem.layer)("the sqlite store while another process has the lock", (it) => {
  it("serves reads, queues writes without blocking the event loop, and applies them once the lock is free", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(
      path,
      Effect.gen(function* () {
        yield* set("a", 1)
        const release = yield* locked(path)
        const writes = yield* Effect.fork(Effect.all([set("b", 2), set("c", 3)], { concurrency: "unbounded" }))
        const claim = yield* Effect.fork(Effect.flatMap(Store, (store) => store.claim("refresh", "me", "1 minute")))
        // Each attempt takes one turn of the event loop, and does not block it.
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual([yield* get("a"), yield* get("b")], [1, undefined])
        assert.isTrue(Option.isNone(yield* Fiber.poll(writes)))
        yield* release
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(writes)
        assert.isTrue(yield* Fiber.join(claim))
        assert.deepStrictEqual([yield* get("b"), yield* get("c")], [2, 3])
      })
    )
  })

  it("drops a claim whose caller has stopped waiting, but not a value", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(
      path,
      Effect.gen(function* () {
        const store = yield* Store
        yield* set("a", 1)
        const release = yield* locked(path)
        const write = store.open("prices", 1).setMany(new Map([["b", 2]]), "1 hour")
        const given = yield* Effect.fork(
          Effect.all(
            [
              Effect.isFailure(inStoreTime(write)),
              Effect.isFailure(inStoreTime(store.claim("refresh", "me", "1 minute")))
            ],
            { concurrency: "unbounded" }
          )
        )
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual(yield* Fiber.join(given), [true, true])
        yield* release
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* get("b"), 2)
        assert.isTrue(yield* store.claim("refresh", "another", "1 minute"))
      })
    )
  })

  it("starts anyway, and writes later", function* () {
    const path = `${yield* folder}/store.sqlite`
    yield* opened(path, Effect.void)
    const release = yield* locked(path)
    const { lines, logger } = logged()
    const running = yield* Effect.fork(Effect.provide(opened(path, Effect.zipRight(set("a", 1), get("a"))), logger))
    yield* TestClock.adjust("10 seconds")
    assert.isTrue(Option.isNone(yield* Fiber.poll(running)))
    assert.match(lines.join(), /cannot be used now: SQLITE_BUSY: database is locked/)
    yield* release
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* Fiber.join(running), 1)
  })
})

layer(BunFileSystem.layer)("the size of the sqlite store", (it) => {
  it("stays within its limit, including the write-ahead log: the oldest rows are deleted first, and lists last", function* () {
    const path = `${yield* folder}/store.sqlite`
    const maxBytes = 2 * 1024 * 1024
    yield* Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const entries = (yield* Store).open("balances", 1)
      yield* entries.setMany(new Map([["early", 0]]), "1 hour")
      const lists = (yield* Store).open("list:sent", 1)
      yield* lists.changeLists(["early"], { add: ["hash"] }, "1 hour")
      let largest = 0
      for (let round = 0; round < 20; round++) {
        yield* entries.setMany(new Map([["renewed", round]]), "1 hour")
        yield* entries.setMany(
          new Map(Array.from({ length: 200 }, (_, index) => [`${round}-${index}`, "x".repeat(1_000)])),
          "1 hour"
        )
        yield* TestClock.adjust("1 second")
        const sizes = yield* Effect.forEach(["", "-wal"], (suffix) => files.stat(`${path}${suffix}`))
        largest = Math.max(
          largest,
          sizes.reduce((sum, { size }) => sum + Number(size), 0)
        )
      }
      assert.isBelow(largest, 1.5 * maxBytes)
      const found = yield* entries.getMany(["early", "renewed", "0-0", "19-199"])
      assert.deepStrictEqual([...found.keys()].sort(), ["19-199", "renewed"])
      assert.deepStrictEqual((yield* lists.getMany(["early"])).get("early"), ["hash"])
      for (let round = 0; round < 20; round++) {
        const keys = Array.from({ length: 200 }, (_, index) => `${round}-${index}`)
        yield* lists.changeLists(keys, { add: ["x".repeat(1_000)] }, "1 hour")
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual((yield* lists.getMany(["early"])).size, 0)
    }).pipe(Effect.provide(Layer.fresh(Sqlite.layer(path, { maxBytes, strict: false }))), Effect.scoped)
    const before = (yield* (yield* FileSystem.FileSystem).stat(path)).size
    assert.isAtMost(Number(before), maxBytes)
  })
})
