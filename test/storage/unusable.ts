import { Database } from "bun:sqlite"
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as SqliteFile from "../../src/storage/SqliteFile.ts"
import { folder } from "../support/process.ts"

const works = (...words: ReadonlyArray<string>) =>
  Either.getOrElse(
    Either.try(() => Bun.spawnSync([...words], { stderr: "ignore" }).success),
    () => false
  )

const isRoot = process.getuid?.() === 0

/** Whether a disk can be mounted. */
const canMount = isRoot && works("unshare", "--mount", "true")

const nobody = 65_534

/** Starts a command as another user. */
const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"]

/** Whether the service can be another user than the test: root may write everywhere. */
const canChangeUser = isRoot && works(...asNobody, process.execPath, "--version")

/** The words before the command of the service. */
export const asUser: ReadonlyArray<string> = canChangeUser ? asNobody : []

const run = (...words: ReadonlyArray<string>) => {
  const { stderr, success } = Bun.spawnSync([...words])
  if (!success) throw new Error(`${words.join(" ")}: ${stderr}`)
}

const give = (path: string) => {
  if (canChangeUser) chownSync(path, nobody, nobody)
}

/** A folder, on a separate small disk if the test may mount one. */
const disk = Effect.flatMap(folder, (path) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      chmodSync(path, 0o755)
      if (canMount) run("mount", "-t", "tmpfs", "-o", "size=4m,mode=0755", "tmpfs", path)
      return path
    }),
    () => Effect.sync(() => (canMount ? run("umount", "--recursive", "--lazy", path) : undefined))
  )
)

/** The path of a file that the service can use, in a folder of its user. */
export const usable = Effect.map(disk, (at) => {
  const path = join(at, "state", "cache.sqlite")
  mkdirSync(dirname(path))
  SqliteFile.connect(path, 1e6).close()
  give(dirname(path))
  give(path)
  return path
})

/** Puts another file in the place of the file. */
const replace = (path: string, write: () => void) => {
  renameSync(path, `${path}.away`)
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true })
  write()
}

/** Appends to a file until the disk is full to the last byte. */
const fill = (path: string) => {
  for (let size = 2 ** 20; size >= 1; )
    Either.match(
      Either.try(() => writeFileSync(path, Buffer.alloc(size), { flag: "a" })),
      {
        onLeft: () => {
          size = Math.floor(size / 2)
        },
        onRight: () => {}
      }
    )
}

export type Moment = "at the start" | "while it runs"

interface Row {
  /** The reason and the advice in the line. */
  readonly reason: RegExp
  readonly advice: RegExp
  /** Whether this test run can bring it about. */
  readonly possible: boolean
  /** Values of `store_up` and `store_writable`. */
  readonly gauges: (moment: Moment) => readonly [up: number, writable: number]
  /** Makes the file at this path unusable; may return a function that undoes it. */
  readonly harm: (path: string, moment: Moment) => unknown
}

const usual = /Name a file in a folder that exists and can be written by this user/

const gone = () => [0, 0] as const

/** The file stays open, and is still read. */
const readable = (moment: Moment) => [moment === "at the start" ? 0 : 1, 0] as const

/** What keeps the service from its file. */
export const rows: Readonly<Record<string, Row>> = {
  "a read-only mount": {
    reason: /EROFS: read-only file system; it belongs to user \d+/,
    advice: usual,
    possible: canMount,
    gauges: gone,
    harm: (path, moment) =>
      moment === "at the start"
        ? run("mount", "-o", "remount,ro", dirname(dirname(path)))
        : // Over the folder: only a fault of the disk itself makes it read-only while it has open files.
          run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", dirname(path))
  },
  "no folder": {
    reason: /ENOENT: no such file or directory/,
    advice: usual,
    possible: true,
    gauges: gone,
    harm: (path) => renameSync(dirname(path), `${dirname(path)}.away`)
  },
  "a foreign owner": {
    reason: /EACCES: permission denied; it belongs to user 0, this process is user 65534/,
    advice: usual,
    possible: canChangeUser,
    gauges: gone,
    harm: (path) => replace(path, () => SqliteFile.connect(path, 1e6).close())
  },
  "a full disk": {
    reason:
      /SQLITE_(FULL: database or disk is full|IOERR\w*: disk I\/O error; its disk is full); it belongs to user \d+/,
    advice: /Make room on its disk/,
    possible: canMount,
    gauges: readable,
    harm: (path) => fill(join(dirname(dirname(path)), "filler"))
  },
  "a lock of another process": {
    reason: /SQLITE_BUSY\w*: database is locked; it belongs to user \d+/,
    advice: /End the process that keeps it locked, or name another file/,
    possible: true,
    gauges: readable,
    harm: (path) => {
      const file = new Database(path)
      file.run("BEGIN IMMEDIATE")
      return () => file.close()
    }
  },
  "tables of another program": {
    reason: /it is not a cache of this program, and is left unchanged; it belongs to user \d+/,
    advice: /Name another file$/,
    possible: true,
    gauges: gone,
    harm: (path) =>
      replace(path, () => {
        const file = new Database(path, { create: true })
        file.run("CREATE TABLE users (id INTEGER)")
        file.close()
        give(path)
      })
  }
}
