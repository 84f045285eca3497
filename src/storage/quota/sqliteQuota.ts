import type { Database } from "bun:sqlite"
import * as Quota from "./Quota.ts"

/** Creates the table of the levels if it is missing. */
export const migrate = (database: Database) => {
  database.run(`CREATE TABLE IF NOT EXISTS quotas (
    name TEXT NOT NULL PRIMARY KEY, filled REAL NOT NULL, at INTEGER NOT NULL, since INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT`)
  database.run("CREATE INDEX IF NOT EXISTS quotas_by_expiry ON quotas (expires)")
}

/** Throws the errors of SQLite. */
export const prepare = (database: Database) => {
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
