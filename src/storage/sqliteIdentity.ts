import { constants, Database } from "bun:sqlite"
import { accessSync, closeSync, existsSync, constants as modes, openSync, readSync, statSync } from "node:fs"
import { dirname } from "node:path"

/** Identifies the files of this program (PRAGMA application_id): `wlda`. */
export const applicationId = 0x776c6461

/** The tables of a file that 0.1.0 wrote, which has no id, and their version. */
const unmarked = { version: 2, tables: "entries,leases,quotas" }

/** The first bytes of a file of SQLite (sqlite.org/fileformat2.html). */
const magic = "SQLite format 3\0"

const startOf = (path: string): string => {
  const bytes = Buffer.alloc(magic.length)
  const file = openSync(path, "r")
  try {
    return bytes.toString("latin1", 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** Reads whose file it is, without changing it or, unless it is in use, the files beside it. */
const read = (path: string) => {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
  const name = encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")
  const database = new Database(`file:${name}${existsSync(`${path}-wal`) ? "" : "?immutable=1"}`, flags)
  try {
    return database
      .query<{ readonly id: number; readonly version: number; readonly tables: string | null }, []>(
        `SELECT application_id AS id, user_version AS version,
          (SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name)) AS tables
        FROM pragma_application_id, pragma_user_version`
      )
      .get()
  } finally {
    database.close()
  }
}

/** Whether a file may be used: it is empty, or one of this program. Throws errors of the file system and of SQLite. */
export const isOurs = (path: string): boolean => {
  const start = startOf(path)
  if (start !== magic) return start === ""
  const { id, tables, version } = read(path) ?? {}
  return id === applicationId || (id === 0 && version === unmarked.version && tables === unmarked.tables)
}

/** Throws the error of the file system if a file cannot be written, or created. */
export const requireWritable = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("EISDIR: it is a folder")
  if (existsSync(path)) accessSync(path, modes.R_OK | modes.W_OK)
  else accessSync(dirname(path), modes.W_OK)
}

/** The owner of a file, or of its folder if there is no file, where that explains an error. */
export const ownerOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.uid ?? statSync(dirname(path), { throwIfNoEntry: false })?.uid
