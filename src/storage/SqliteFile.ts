import { Database } from "bun:sqlite"
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { tryOrElse } from "../kernel/tryOrElse.ts"
import * as Quota from "./quota/Quota.ts"
import { listStore } from "./Store.ts"
import * as sqliteIdentity from "./sqliteIdentity.ts"

/** Creates the table of the levels if it is missing. */
const createQuotas = (database: Database) => {
  database.run(`CREATE TABLE IF NOT EXISTS quotas (
    name TEXT NOT NULL PRIMARY KEY, filled REAL NOT NULL, at INTEGER NOT NULL, since INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT`)
  database.run("CREATE INDEX IF NOT EXISTS quotas_by_expiry ON quotas (expires)")
}

/** Throws the errors of SQLite. */
const prepareQuotas = (database: Database) => {
  const level = database.query<Quota.Level, [string, number]>(
    "SELECT filled, at, since FROM quotas WHERE name = ? AND expires > ?"
  )
  const assign = database.query(
    "INSERT OR REPLACE INTO quotas (name, filled, at, since, expires) VALUES (?, ?, ?, ?, ?)"
  )
  const expire = database.query(
    "DELETE FROM quotas WHERE name IN (SELECT name FROM quotas WHERE expires <= ? ORDER BY expires LIMIT ?)"
  )
  return {
    statements: [level, assign, expire],
    /** Must run in a transaction, because it reads and writes. */
    take: (taking: Quota.QuotaRequest, now: number): Quota.QuotaResult => {
      const { buckets } = taking
      const stored = buckets.map(({ name }) => level.get(name, now) ?? undefined)
      const taken = Quota.take(taking, stored, now)
      buckets.forEach((bucket, index) => {
        const { at, filled, since } = taken.levels[index] ?? { at: now, filled: 0, since: now }
        assign.run(bucket.name, filled, at, since, at + Quota.lifetimeOf(filled, bucket))
      })
      // Each client leaves a level behind that is soon useless: every call removes more levels than it adds.
      expire.run(now, 2 * buckets.length)
      return taken
    }
  }
}

/** All methods throw the errors of SQLite and never wait for the lock of another process. */
export type SqliteFile = ReturnType<typeof connect>

/** A row of the file; the value is JSON. */
export interface SqliteRow {
  readonly key: string
  readonly value: string
}

/** Pages returned to the file system at a time. */
const vacuumPages = 256

/** The code of an error of SQLite or of the file system; empty without one. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Ends of codes of errors about files: of a newer version of this program, and of another program. */
const [newer, foreign] = ["NEWER", "FOREIGN"]

const failure = (code: string, message: string) => Object.assign(new Error(message), { code: `SQLITE_${code}` })

/** Whether an error of SQLite has one of these codes, or an extended one. */
export const hasCode = (cause: unknown, ...codes: ReadonlyArray<string>) =>
  codes.some((code) => codeOf(cause).startsWith(`SQLITE_${code}`))

/** Whether another process has the lock. */
export const isBusy = (cause: unknown) => hasCode(cause, "BUSY", "LOCKED")

/** Whether the file is not a database or is incomplete. */
export const isDamage = (cause: unknown) => hasCode(cause, "CORRUPT", "NOTADB")

/**
 * Whether the file cannot be used now: the disk is full or fails, the file is read-only, or cannot be opened or created,
 * is of another program or a newer version, or has other tables. Pending writes need not be retried one by one.
 */
export const isUnusable = (cause: unknown) =>
  hasCode(cause, "FULL", "IOERR", "READONLY", "CANTOPEN", "PERM", "AUTH", "ERROR", newer, foreign)

/** The message of an error, with its code if it is one of the file system. */
export const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Inode of the current file at the path; undefined if there is no file, for example for a database in memory. */
export const identityOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

/** The path of a damaged file, by the time (ms) at which it is renamed. */
export const damagedPath = (path: string, now: number) =>
  `${path}.damaged-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}`

/** Renames a damaged file and its write-ahead log; returns the new path. */
export const renameDamaged = (path: string, now: number) => {
  const aside = damagedPath(path, now)
  renameSync(path, aside)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`)
  rmSync(`${path}-shm`, { force: true })
  return aside
}

/** Only the owner may read or write the file: it reveals the requested addresses, and its contents are trusted. */
const mode = 0o600

/** Creates the file if it is missing; fails if it is of another program, and leaves that unchanged. */
const requireOurs = (path: string) => {
  tryOrElse(
    (file) => {
      sqliteIdentity.requireWritable(file)
      if (!existsSync(file)) closeSync(openSync(file, "a", mode))
    },
    path,
    (cause): never => {
      throw failure("CANTOPEN", messageOf(cause).replace(/, \w+ '.*$/, ""))
    }
  )
  if (!sqliteIdentity.isOurs(path)) throw failure(foreign, "it is not a cache of this program, and is left unchanged")
}

/** Opens the file, and creates it if it is missing. */
export const connect = (path: string, walLimit: number) => {
  const isFile = path !== ":memory:" && path !== ""
  if (isFile) requireOurs(path)
  const database = new Database(path, { create: true, strict: true })
  try {
    const file = prepare(database, path, walLimit)
    if (isFile)
      for (const suffix of ["", "-wal", "-shm"])
        tryOrElse(
          (name) => chmodSync(name, mode),
          `${path}${suffix}`,
          () => {}
        )
    return file
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Configures the database and creates its tables. */
const setUp = (database: Database, walLimit: number) => {
  database.run("PRAGMA busy_timeout = 0")
  const found = versionOf(database)
  // Only a file without tables accepts this pragma, and it must precede the journal mode.
  database.run("PRAGMA auto_vacuum = INCREMENTAL")
  // Before the journal mode, so that it stands in the file itself from the start.
  if (idOf(database) === 0) database.run(`PRAGMA application_id = ${sqliteIdentity.applicationId}`)
  database.run("PRAGMA journal_mode = WAL")
  database.run("PRAGMA synchronous = NORMAL")
  database.run(`PRAGMA journal_size_limit = ${walLimit}`)
  createTables(database, found)
}

/** How often evictions count the levels of quotas, in steps. */
const countEvery = 50

/** Removes levels beyond a number, those that leak first: they lose the fewest units. */
const prepareQuotaEviction = (database: Database) => {
  const count = database.query<{ readonly rows: number }, [number]>(
    "SELECT count(*) AS rows FROM (SELECT 1 FROM quotas LIMIT ?)"
  )
  const remove = database.query("DELETE FROM quotas WHERE name IN (SELECT name FROM quotas ORDER BY expires LIMIT ?)")
  let steps = 0
  let excess = 0
  return {
    statements: [count, remove],
    evict: (max: number, maxLevels: number) => {
      if (excess === 0 && steps++ % countEvery === 0)
        excess = Math.max(0, (count.get(maxLevels + countEvery * max)?.rows ?? 0) - maxLevels)
      const removed = excess === 0 ? 0 : remove.run(Math.min(max, excess)).changes
      excess = removed === 0 ? 0 : excess - removed
      return removed > 0
    }
  }
}

/**
 * Deletes levels of quotas beyond their number, then the rows that were written longest ago, lists only after all else: they
 * cannot be fetched again.
 */
const prepareEviction = (database: Database) => {
  const quotas = prepareQuotaEviction(database)
  const statement = (where: string) =>
    database.query(`DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries ${where} ORDER BY rowid LIMIT ?)`)
  const statements = [statement(`WHERE store NOT LIKE '${listStore}%'`), statement("")]
  return {
    statements: [...statements, ...quotas.statements],
    evict: (max: number, maxQuotas: number) =>
      quotas.evict(max, maxQuotas) || statements.some((each) => each.run(max).changes > 0)
  }
}

const prepare = (database: Database, path: string, walLimit: number) => {
  setUp(database, walLimit)
  const identity = identityOf(path)
  const select = database.query<SqliteRow, [string, string, number]>(
    "SELECT key, value FROM entries WHERE store = ? AND key IN (SELECT value FROM json_each(?)) AND expires > ?"
  )
  const upsert = database.query("INSERT OR REPLACE INTO entries (store, key, value, expires) VALUES (?, ?, ?, ?)")
  const remove = database.query("DELETE FROM entries WHERE store = ? AND key IN (SELECT value FROM json_each(?))")
  const clear = database.query("DELETE FROM entries WHERE store = ?")
  const sweep = database.query(
    "DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE expires <= ? LIMIT ?)"
  )
  const eviction = prepareEviction(database)
  // A lease that expires later than any claim allows was taken before the clock was set back.
  const claim = database.query(
    `INSERT INTO leases (name, owner, expires) VALUES (?1, ?2, ?3 + ?4)
    ON CONFLICT DO UPDATE SET owner = excluded.owner, expires = excluded.expires
    WHERE owner = excluded.owner OR expires <= ?3 OR expires > ?3 + 2 * ?4`
  )
  const release = database.query("DELETE FROM leases WHERE name = ? AND owner = ?")
  const quota = prepareQuotas(database)
  const pages = database.query<{ readonly pages: number; readonly free: number; readonly size: number }, []>(
    `SELECT page_count AS pages, freelist_count AS free, page_size AS size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  )
  return {
    select: (store: string, keys: ReadonlyArray<string>, now: number): ReadonlyArray<SqliteRow> =>
      select.all(store, JSON.stringify(keys), now),
    upsert: (store: string, rows: ReadonlyArray<SqliteRow>, expires: number) => {
      for (const { key, value } of rows) upsert.run(store, key, value, expires)
    },
    remove: (store: string, keys: ReadonlyArray<string>) => void remove.run(store, JSON.stringify(keys)),
    clear: (store: string) => void clear.run(store),
    /** Deletes expired rows, at most `max`; returns their number. */
    sweep: (now: number, max: number) => sweep.run(now, max).changes,
    /**
     * Deletes the rows that were written longest ago, at most `max`, but first levels of quotas if there are more than this
     * number; returns whether there were any.
     */
    evict: eviction.evict,
    claim: (name: string, owner: string, now: number, time: number) => claim.run(name, owner, now, time).changes === 1,
    release: (name: string, owner: string) => void release.run(name, owner),
    take: quota.take,
    /** Applies all changes or none. */
    inTransaction: <A>(run: () => A): A => database.transaction(run).immediate(),
    /** Bytes of the pages in use, of the file, and of its write-ahead log. */
    sizes: () => {
      const { free = 0, pages: all = 0, size = 0 } = pages.get() ?? {}
      const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
      return { used: (all - free) * size, file: all * size, wal }
    },
    /** Returns some of the unused pages to the file system. */
    shrink: () => void database.query(`PRAGMA incremental_vacuum(${vacuumPages})`).all(),
    /** Writes the write-ahead log to the file and empties it, as far as other processes allow. */
    checkpoint: () => void database.query("PRAGMA wal_checkpoint(TRUNCATE)").all(),
    /** Whether the path has another file or no file. */
    isReplaced: () => identityOf(path) !== identity,
    close: () => {
      for (const statement of [
        select,
        upsert,
        remove,
        clear,
        sweep,
        ...eviction.statements,
        claim,
        release,
        ...quota.statements,
        pages
      ])
        statement.finalize()
      try {
        database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      } finally {
        database.close()
      }
    }
  }
}

/** The version of the tables, as stored in the file. */
const version = 2

/** The version of a file's tables, 0 if it has none; throws for a newer one, whose tables may have another form. */
const versionOf = (database: Database) => {
  const { user_version: found = 0 } =
    database.query<{ readonly user_version: number }, []>("PRAGMA user_version").get() ?? {}
  if (found <= version) return found
  throw failure(newer, `it was written by a newer version of this program (its tables have version ${found})`)
}

/** Creates the tables. A file of an earlier version starts again without its rows: a copy of them would block a start. */
const createTables = (database: Database, found: number) =>
  database
    .transaction(() => {
      if (found < version)
        for (const table of ["entries", "leases", "quotas"]) database.run(`DROP TABLE IF EXISTS ${table}`)
      // Rowids are in the order of writing: replacing a row inserts it with a new rowid.
      database.run(`CREATE TABLE IF NOT EXISTS entries (
        store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER NOT NULL, UNIQUE (store, key)
      ) STRICT`)
      database.run("CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires)")
      database.run(`CREATE TABLE IF NOT EXISTS leases (
        name TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL
      ) WITHOUT ROWID, STRICT`)
      createQuotas(database)
      if (found !== version) database.run(`PRAGMA user_version = ${version}`)
    })
    .deferred()

const idOf = (database: Database) =>
  database.query<{ readonly application_id: number }, []>("PRAGMA application_id").get()?.application_id
