import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as SqliteConnection from "./SqliteConnection.ts"
import type * as SqliteFile from "./SqliteFile.ts"
import * as SqliteWriter from "./SqliteWriter.ts"
import { changedList, Store, StoreError } from "./Store.ts"

export interface SqliteOptions {
  /** Maximum size of the file including its write-ahead log. */
  readonly maxBytes: number
  /** Whether the start fails if the file is damaged or temporarily unusable. */
  readonly strict: boolean
}

const megabyte = 1024 * 1024

const usual: SqliteOptions = { maxBytes: 256 * megabyte, strict: false }

/** The write-ahead log is emptied when it is larger than this or than a quarter of the allowed size. */
const walLimit = 16 * megabyte

/** Rows deleted at a time: SQLite runs on the event loop, and requests wait meanwhile. */
const sweepRows = 250

/** How long a shutdown waits for pending writes. */
const maxWait = "2 seconds"

/**
 * Store in a file, which is created if it is missing; its folder is not. The event loop never waits for the lock of
 * another process: writes are queued and retried, and reads continue meanwhile.
 */
export const layer = (path: string, options: SqliteOptions = usual) =>
  Layer.scoped(
    Store,
    Effect.gen(function* () {
      const connection = yield* Effect.acquireRelease(
        SqliteConnection.open(path, limitsOf(options.maxBytes).wal, options.strict),
        (connection) =>
          Effect.catchAll(connection.close, (cause) => Effect.logWarning("the store was not closed cleanly", cause))
      )
      const awake = yield* Effect.makeLatch(false)
      const queue = SqliteWriter.queueOf(() => awake.unsafeOpen())
      const step = SqliteWriter.make(path, connection, queue, limitsOf(options.maxBytes))

      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => (queue.isEmpty() ? Effect.void : Effect.flatMap(step, pausing))).pipe(
          Effect.repeat({ until: queue.isEmpty }),
          Effect.interruptible,
          Effect.timeout(maxWait),
          Effect.ignore,
          Effect.ensuring(Effect.sync(queue.close))
        )
      )
      yield* awake.await.pipe(
        Effect.zipRight(Effect.sync(() => awake.unsafeClose())),
        Effect.zipRight(step),
        Effect.flatMap((again) =>
          again === undefined ? Effect.void : Effect.zipRight(Effect.sleep(again), awake.open)
        ),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) => queue.submit({ operation: "sweep", run: (file) => file.sweep(now, sweepRows) })),
        Effect.repeat({ while: (deleted) => deleted === sweepRows, schedule: Schedule.spaced(SqliteWriter.pause) }),
        Effect.catchAll((error) => Effect.logDebug(error)),
        Effect.repeat(Schedule.spaced("5 minutes")),
        Effect.forkScoped
      )

      return storeOf(connection, queue)
    })
  )

/** Reads run immediately, changes run in order. */
const storeOf = (
  connection: SqliteConnection.SqliteConnection,
  queue: ReturnType<typeof SqliteWriter.queueOf>
): Context.Tag.Service<Store> => ({
  claim: (name, owner, time) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const millis = Math.ceil(Duration.toMillis(time))
      return queue.submit({
        operation: "claim",
        run: (file) => file.claim(name, owner, now, millis),
        cancellable: true
      })
    }),
  take: (taking) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      queue.submit({ operation: "take", run: (file) => file.take(taking, now), cancellable: true, urgent: true })
    ),
  release: (name, owner) =>
    queue.submit({ operation: "release", run: (file) => file.release(name, owner), size: name.length }),
  open: (name, version) => {
    const id = `${name}@${version}`
    return {
      getMany: (keys) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          connection.read((file) => valuesOf(file.select(id, keys, now)))
        ).pipe(Effect.mapError((cause) => new StoreError({ operation: "getMany", cause }))),
      setMany: (entries, timeToLive) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const expires = expiryOf(now, timeToLive)
          return Effect.try({
            try: () => rowsOf(entries),
            catch: (cause) => new StoreError({ operation: "setMany", cause })
          }).pipe(
            Effect.flatMap(({ rows, size }) =>
              queue.submit({ operation: "setMany", run: (file) => file.upsert(id, rows, expires), size })
            )
          )
        }),
      changeLists: (keys, change, timeToLive) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          queue.submit({
            operation: "changeLists",
            run: (file) => {
              const stored = valuesOf(file.select(id, keys, now))
              const lists = new Map(keys.map((key) => [key, changedList(stored.get(key), change)]))
              file.upsert(id, rowsOf(lists).rows, expiryOf(now, timeToLive))
            },
            size: JSON.stringify([keys, change]).length,
            cancellable: true,
            urgent: true
          })
        ),
      remove: (keys) =>
        queue.submit({ operation: "remove", run: (file) => file.remove(id, keys), size: keys.join().length }),
      clear: queue.submit({ operation: "clear", run: (file) => file.clear(id) })
    }
  }
})

const expiryOf = (now: number, timeToLive: Duration.DurationInput) =>
  Math.min(Math.ceil(now + Duration.toMillis(timeToLive)), Number.MAX_SAFE_INTEGER)

const limitsOf = (maxBytes: number): SqliteWriter.Limits => {
  const wal = Math.min(walLimit, Math.floor(maxBytes / 4))
  return { wal, file: maxBytes - wal }
}

const rowsOf = (entries: ReadonlyMap<string, unknown>) => {
  const rows = Array.from(entries, ([key, value]) => ({ key, value: JSON.stringify(value) }))
  return { rows, size: rows.reduce((sum, { key, value }) => sum + key.length + value.length, 0) }
}

/** Omits values that are not valid JSON. */
const valuesOf = (rows: ReadonlyArray<SqliteFile.SqliteRow>): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>()
  for (const { key, value } of rows) {
    const parsed = Option.liftThrowable(JSON.parse)(value)
    if (Option.isSome(parsed)) values.set(key, parsed.value)
  }
  return values
}

const pausing = (again: Duration.DurationInput | undefined) => (again === undefined ? Effect.void : Effect.sleep(again))
