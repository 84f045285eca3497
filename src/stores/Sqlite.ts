import { Database } from "bun:sqlite"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Store, StoreError, StoreOpenError } from "./Store.ts"

/** Rows deleted at a time by the sweep: sqlite answers synchronously, and requests wait meanwhile. */
const sweepSize = 1000

/** The file is made if it is missing, its folder is not. It is whole again after a crash. */
export const layer = (path: string) =>
  Layer.scoped(
    Store,
    Effect.gen(function* () {
      const { close, ...rows } = yield* Effect.acquireRelease(
        Effect.try({ try: () => connect(path), catch: (cause) => unusable(path, cause) }),
        ({ close }) =>
          Effect.try(close).pipe(
            Effect.catchAll((cause) => Effect.logWarning("the store was not closed cleanly", cause))
          )
      )
      const sweep = Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) => attempt("sweep", () => rows.sweep(now))),
        Effect.repeat({ while: (deleted) => deleted === sweepSize, schedule: Schedule.spaced("10 millis") }),
        Effect.catchAll((error) => Effect.logWarning(error)),
        Effect.repeat(Schedule.spaced("5 minutes"))
      )
      yield* Effect.forkScoped(sweep)
      return {
        claim: (name, owner, time) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const millis = Math.ceil(Duration.toMillis(time))
            return attempt("claim", () => rows.claim(name, owner, now, millis))
          }),
        release: (name, owner) => attempt("release", () => rows.release(name, owner)),
        open: (name, version) => {
          const id = `${name}@${version}`
          return {
            getMany: (keys) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => attempt("getMany", () => rows.select(id, keys, now))),
            setMany: (entries, timeToLive) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => {
                const expires = Math.min(Math.ceil(now + Duration.toMillis(timeToLive)), Number.MAX_SAFE_INTEGER)
                return attempt("setMany", () => rows.upsert(id, entries, expires))
              }),
            remove: (keys) => attempt("remove", () => rows.remove(id, keys)),
            clear: attempt("clear", () => rows.clear(id))
          }
        }
      }
    })
  )

const attempt = <A>(operation: StoreError["operation"], run: () => A) =>
  Effect.try({ try: run, catch: (cause) => new StoreError({ operation, cause }) })

const unusable = (path: string, cause: unknown) =>
  new StoreOpenError({
    variable: "SQLITE_PATH",
    problem:
      `"${path}" cannot be used: ${cause instanceof Error ? cause.message : cause}. Name a file in a folder that exists ` +
      "and can be written; a damaged file may be deleted, it only holds what can be fetched again",
    cause
  })

/** Everything here throws what sqlite throws. */
const connect = (path: string) => {
  const database = new Database(path, { create: true, strict: true })
  try {
    return prepare(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** A short busy_timeout: while sqlite waits for another process's lock, this whole process waits. */
const prepare = (database: Database) => {
  database.run("PRAGMA busy_timeout = 250")
  database.run("PRAGMA journal_mode = WAL")
  database.run("PRAGMA synchronous = NORMAL")
  database.run(`CREATE TABLE IF NOT EXISTS entries (
    store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (store, key)
  ) WITHOUT ROWID, STRICT`)
  database.run("CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires)")
  database.run(`CREATE TABLE IF NOT EXISTS leases (
    name TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT`)
  const select = database.query<{ readonly key: string; readonly value: string }, [string, string, number]>(
    "SELECT key, value FROM entries WHERE store = ? AND key IN (SELECT value FROM json_each(?)) AND expires > ?"
  )
  const upsert = database.query(
    `INSERT INTO entries (store, key, value, expires) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires`
  )
  const remove = database.query("DELETE FROM entries WHERE store = ? AND key IN (SELECT value FROM json_each(?))")
  const clear = database.query("DELETE FROM entries WHERE store = ?")
  const sweep = database.query(
    "DELETE FROM entries WHERE (store, key) IN (SELECT store, key FROM entries WHERE expires <= ? LIMIT ?)"
  )
  // A lease that has longer to go than any claim gives is left from a clock that was set back.
  const claim = database.query(
    `INSERT INTO leases (name, owner, expires) VALUES (?1, ?2, ?3 + ?4)
    ON CONFLICT DO UPDATE SET owner = excluded.owner, expires = excluded.expires
    WHERE owner = excluded.owner OR expires <= ?3 OR expires > ?3 + 2 * ?4`
  )
  const release = database.query("DELETE FROM leases WHERE name = ? AND owner = ?")
  return {
    claim: (name: string, owner: string, now: number, time: number) => claim.run(name, owner, now, time).changes === 1,
    release: (name: string, owner: string) => void release.run(name, owner),
    select: (id: string, keys: ReadonlyArray<string>, now: number): ReadonlyMap<string, unknown> =>
      new Map(select.all(id, JSON.stringify(keys), now).map(({ key, value }) => [key, JSON.parse(value)])),
    upsert: database.transaction((id: string, entries: ReadonlyMap<string, unknown>, expires: number) => {
      for (const [key, value] of entries) upsert.run(id, key, JSON.stringify(value), expires)
    }),
    remove: (id: string, keys: ReadonlyArray<string>) => void remove.run(id, JSON.stringify(keys)),
    clear: (id: string) => void clear.run(id),
    sweep: (now: number) => sweep.run(now, sweepSize).changes,
    close: () => {
      for (const statement of [select, upsert, remove, clear, sweep, claim, release]) statement.finalize()
      database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      database.close()
    }
  }
}
