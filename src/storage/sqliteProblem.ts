import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { tryOrElse } from "../kernel/tryOrElse.ts"
import { userId } from "../settings/runtime.ts"
import * as SqliteFile from "./SqliteFile.ts"
import * as sqliteIdentity from "./sqliteIdentity.ts"

/** A disk with less space is full: SQLite needs as much beside the file, bytes. */
const leastSpace = 65_536

const isFull = (path: string, cause: unknown): boolean =>
  SqliteFile.hasCode(cause, "FULL") ||
  (SqliteFile.hasCode(cause, "IOERR") &&
    tryOrElse(
      (folder) => {
        const { bavail, bsize } = statfsSync(folder)
        return bavail * bsize < leastSpace
      },
      dirname(path),
      () => false
    ))

/** Whose the file is, or its folder if there is no file. */
const whoseOf = (path: string): string => {
  const owner = tryOrElse(sqliteIdentity.ownerOf, path, () => undefined)
  const user = userId()
  if (owner === undefined || user === undefined) return ""
  return `; it belongs to user ${owner}, ${owner === user ? "as this process does" : `this process is user ${user}`}`
}

/** The message of an error, with the code of SQLite, unless it is one of the file system or of this program. */
const messageOf = (cause: unknown): string => {
  const message = SqliteFile.messageOf(cause)
  return SqliteFile.hasCode(cause, "NEWER", "FOREIGN") || /^E[A-Z]+: /.test(message) || SqliteFile.codeOf(cause) === ""
    ? message
    : `${SqliteFile.codeOf(cause)}: ${message}`
}

const remedies: ReadonlyArray<readonly [code: string, advice: string]> = [
  ["BUSY", "End the process that keeps it locked, or name another file"],
  ["LOCKED", "End the process that keeps it locked, or name another file"],
  ["FOREIGN", "Name another file"],
  ["NEWER", "Name another file, or run the newer version"],
  [
    "",
    "Name a file in a folder that exists and can be written by this user; a damaged file may be deleted, as its contents can be fetched again"
  ]
]

/** Why the file at a path cannot be used, with the code of the error and the owner, and what to do. */
export const of = (path: string, cause: unknown) => {
  const full = isFull(path, cause)
  return {
    reason: `${messageOf(cause)}${full && !SqliteFile.hasCode(cause, "FULL") ? "; its disk is full" : ""}${whoseOf(path)}`,
    advice: full
      ? "Make room on its disk"
      : remedies.find(([code]) => code === "" || SqliteFile.hasCode(cause, code))?.[1]
  }
}
