import { statSync } from "node:fs"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import type { SqliteConnection } from "../../src/storage/SqliteConnection.ts"
import * as SqliteFile from "../../src/storage/SqliteFile.ts"
import * as SqliteWriter from "../../src/storage/SqliteWriter.ts"
import { assert, describe, it } from "../support/vitest.ts"

const megabyte = 1024 * 1024
const limits = { file: 10 * megabyte, wal: megabyte }

/** The error that SQLite throws with this code. */
const fault = (code: string) => Object.assign(new Error(`it is ${code}`), { code: `SQLITE_${code}` })

/** A database in memory whose writes fail while `fault` is set. */
const failing = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => SqliteFile.connect(":memory:", limits.wal)),
    (file) => Effect.sync(() => file.close())
  ),
  (file) => {
    const state: { fault: Error | undefined } = { fault: undefined }
    const connection: SqliteConnection = {
      isOpen: () => true,
      read: (run) => Effect.try(() => run(file)),
      write: (run) =>
        Effect.suspend(() =>
          state.fault === undefined
            ? Effect.try({ try: () => run(file), catch: (cause) => cause })
            : Effect.fail(state.fault)
        ),
      close: Effect.void
    }
    return { connection, state }
  }
)

const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  return { lines, logger: Logger.replace(Logger.defaultLogger, logger) }
}

/** The owner that a line names: there is no such file, so that of the folder. */
const whose = `it belongs to user ${statSync(".").uid}, as this process does`

const change = (run: () => number): SqliteWriter.Change<number> => ({ operation: "setMany", run, size: 1 })

describe("the writer of the sqlite store", () => {
  it.scoped(
    "logs once that the disk is full or the file is read-only, and once that the file can be written again",
    () => {
      const { lines, logger } = logged()
      return Effect.gen(function* () {
        const { connection, state } = yield* failing
        const queue = SqliteWriter.queueOf(() => {})
        const step = SqliteWriter.make("cache.db", connection, queue, limits)
        for (const code of ["FULL", "READONLY", "IOERR_WRITE", undefined, undefined]) {
          state.fault = code === undefined ? undefined : fault(code)
          const written = yield* Effect.fork(Effect.either(queue.submit(change(() => 1))))
          yield* Effect.yieldNow()
          yield* step
          assert.strictEqual(Either.isRight(yield* Fiber.join(written)), code === undefined, code)
        }
        assert.deepStrictEqual(lines, [
          `SQLITE_PATH: "cache.db" cannot be written now: SQLITE_FULL: it is FULL; ${whose}. New entries are in memory only until it can. Make room on its disk`,
          'SQLITE_PATH: "cache.db" can be written again'
        ])
      }).pipe(Effect.provide(logger))
    }
  )

  it("keeps pending changes while the file is locked", function* () {
    const { connection, state } = yield* failing
    const queue = SqliteWriter.queueOf(() => {})
    const step = SqliteWriter.make("cache.db", connection, queue, limits)
    const written = yield* Effect.fork(queue.submit(change(() => 7)))
    yield* Effect.yieldNow()
    state.fault = fault("BUSY_SNAPSHOT")
    assert.strictEqual(yield* step, SqliteWriter.lockedPause)
    assert.isFalse(queue.isEmpty())
    state.fault = undefined
    assert.strictEqual(yield* step, undefined)
    assert.strictEqual(yield* Fiber.join(written), 7)
  })

  for (const [code, attempts] of Object.entries({ CANTOPEN: 6, FOREIGN: 6, IOERR_SHMSIZE: 6, CORRUPT: 6, BUSY: 18 }))
    it(`tries to open a file ${attempts} times in a minute while that fails, and logs it once: ${code}`, function* () {
      const { lines, logger } = logged()
      let tried = 0
      const connection: SqliteConnection = {
        isOpen: () => false,
        read: () => Effect.fail(fault(code)),
        write: () =>
          Effect.zipRight(
            Effect.sync(() => tried++),
            Effect.fail(fault(code))
          ),
        close: Effect.void
      }
      const step = SqliteWriter.make(
        "cache.db",
        connection,
        SqliteWriter.queueOf(() => {}),
        limits
      )
      yield* Effect.fork(
        Effect.forever(Effect.flatMap(step, (pause) => Effect.sleep(pause ?? Duration.infinity))).pipe(
          Effect.provide(logger)
        )
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(tried, attempts)
      // The start has logged it.
      assert.deepStrictEqual(lines, [])
    })

  it("logs a lock once it has lasted two seconds, and that the file can be written again", function* () {
    const { connection, state } = yield* failing
    const { lines, logger } = logged()
    const queue = SqliteWriter.queueOf(() => {})
    const step = Effect.provide(SqliteWriter.make("cache.db", connection, queue, limits), logger)
    yield* Effect.fork(queue.submit(change(() => 7)))
    yield* Effect.yieldNow()
    state.fault = fault("BUSY")
    yield* step
    yield* TestClock.adjust("1999 millis")
    yield* step
    assert.deepStrictEqual(lines, [])
    yield* TestClock.adjust("1 millis")
    yield* step
    yield* step
    state.fault = undefined
    yield* step
    assert.deepStrictEqual(lines, [
      `SQLITE_PATH: "cache.db" cannot be written now: SQLITE_BUSY: it is BUSY; ${whose}. New entries are in memory only until it can. End the process that keeps it locked, or name another file`,
      'SQLITE_PATH: "cache.db" can be written again'
    ])
  })

  it("applies all changes except a failing change", function* () {
    const { connection } = yield* failing
    const queue = SqliteWriter.queueOf(() => {})
    const step = SqliteWriter.make("cache.db", connection, queue, limits)
    const changes = [1, 2, 3].map((value) =>
      change(() => {
        if (value === 2) throw fault("TOOBIG")
        return value
      })
    )
    const written = yield* Effect.forkAll(changes.map((pending) => Effect.either(queue.submit(pending))))
    yield* Effect.yieldNow()
    yield* step
    assert.deepStrictEqual((yield* Fiber.join(written)).map(Either.getOrUndefined), [1, undefined, 3])
    assert.isTrue(queue.isEmpty())
  })
})

describe("the queue of the sqlite store", () => {
  it("refuses changes beyond its limits of number and size, and fails pending changes when it is closed", function* () {
    const queue = SqliteWriter.queueOf(() => {}, { jobs: 3, characters: 10 })
    const sized = (size: number) => Effect.either(queue.submit({ operation: "setMany", run: () => size, size }))
    const waiting = yield* Effect.forkAll([sized(4), sized(5)])
    yield* Effect.yieldNow()
    assert.match(String(yield* Effect.flip(Effect.flatten(sized(2)))), /write queue is full/)
    const third = yield* Effect.fork(sized(1))
    yield* Effect.yieldNow()
    assert.match(String(yield* Effect.flip(Effect.flatten(sized(0)))), /write queue is full/)
    queue.close()
    assert.deepStrictEqual((yield* Fiber.join(waiting)).map(Either.isLeft), [true, true])
    assert.isTrue(Either.isLeft(yield* Fiber.join(third)))
    assert.match(String(yield* Effect.flip(Effect.flatten(sized(1)))), /closed/)
  })

  it("deletes no entries for levels of quotas: of these a quarter of the file stays, those that leak last", function* () {
    const { connection } = yield* failing
    const queue = SqliteWriter.queueOf(() => {})
    const level = { filled: 0, since: 0 }
    yield* connection.write((file) =>
      file.inTransaction(() => {
        file.upsert("prices@1", [{ key: "a", value: "1" }], 10)
        for (let client = 0; client < 3_000; client++)
          file.take(
            {
              buckets: [
                { name: `rate 100 ${client}`.padEnd(52), capacity: 1, interval: client + 1, localLevel: level }
              ],
              units: 1,
              minUnits: 1,
              wait: 0,
              reserve: 0
            },
            0
          )
      })
    )
    const used = Effect.map(
      connection.write((file) => file.sizes()),
      (sizes) => sizes.used
    )
    const file = Math.floor((yield* used) * 0.7)
    const step = SqliteWriter.make("cache.db", connection, queue, { ...limits, file })
    for (let steps = 0; steps < 100 && (yield* used) > file; steps++) yield* step
    assert.isAtMost(yield* used, file)
    const read = connection.read((found) => found.select("prices@1", ["a"], 0).map(({ value }) => value))
    assert.deepStrictEqual(yield* read, ["1"])
    // The last level counts still: its bucket is full.
    const again = connection.write((found) =>
      found.take(
        {
          buckets: [{ name: "rate 100 2999".padEnd(52), capacity: 1, interval: 3_000, localLevel: level }],
          units: 1,
          minUnits: 1,
          wait: 0,
          reserve: 0
        },
        0
      )
    )
    assert.isFalse((yield* again).isGranted)
  })

  it("stops when no entry is left to delete, and logs it once", function* () {
    const { connection } = yield* failing
    const queue = SqliteWriter.queueOf(() => {})
    const { lines, logger } = logged()
    // The empty tables are larger than the limit.
    const step = Effect.provide(SqliteWriter.make("cache.db", connection, queue, { ...limits, file: 1 }), logger)
    assert.deepStrictEqual([yield* step, yield* step], [undefined, undefined])
    assert.deepStrictEqual(lines, ['SQLITE_PATH: "cache.db" is larger than CACHE_MAX_MB, and has no entries to delete'])
  })

  it("splits the changes into small transactions", function* () {
    const queue = SqliteWriter.queueOf(() => {})
    yield* Effect.forkAll(Array.from({ length: 250 }, () => queue.submit(change(() => 1))))
    yield* Effect.yieldNow()
    const first = queue.next()
    assert.strictEqual(first.length, 200)
    first.forEach(queue.drop)
    assert.strictEqual(queue.next().length, 50)
  })
})
