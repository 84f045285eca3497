import type { Database } from "bun:sqlite"
import * as sqliteQuota from "./quota/sqliteQuota.ts"

/** The version of the tables, as stored in the file. */
const version = 2

/**
 * Makes the tables. Rows of the first version are kept: month counts and last balances are among them. Those of another form
 * are dropped.
 */
export const migrate = (database: Database) => {
  const { user_version: found = 0 } =
    database.query<{ readonly user_version: number }, []>("PRAGMA user_version").get() ?? {}
  const old = found === 0 && database.query("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get() !== null
  // Fails where the table is that of another program, which is left as it is.
  if (old) database.query("SELECT store, key, value, expires FROM entries LIMIT 0").all()
  database
    .transaction(() => {
      if (old) database.run("ALTER TABLE entries RENAME TO entries_of_version_1")
      // The order of the rowids is that in which rows were written: each is put in anew when it is replaced.
      database.run(`CREATE TABLE IF NOT EXISTS entries (
        store TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER NOT NULL, UNIQUE (store, key)
      ) STRICT`)
      if (old) {
        database.run(`INSERT INTO entries (store, key, value, expires)
          SELECT store, key, value, expires FROM entries_of_version_1
          WHERE typeof(store) = 'text' AND typeof(key) = 'text' AND typeof(expires) = 'integer' AND json_valid(value)
          ORDER BY expires`)
        database.run("DROP TABLE entries_of_version_1")
      }
      database.run("CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires)")
      database.run(`CREATE TABLE IF NOT EXISTS leases (
        name TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL
      ) WITHOUT ROWID, STRICT`)
      sqliteQuota.migrate(database)
      if (found !== version) database.run(`PRAGMA user_version = ${version}`)
    })
    .deferred()
  if (old) database.run("VACUUM")
}
