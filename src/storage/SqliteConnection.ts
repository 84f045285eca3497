import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import * as SqliteFile from "./SqliteFile.ts"
import { lockedPause, maxLocked } from "./SqliteWriter.ts"
import { StoreOpenError } from "./Store.ts"
import * as sqliteProblem from "./sqliteProblem.ts"

/** Connection to the file at a path. Errors are the causes that SQLite throws. */
export interface SqliteConnection {
  /** Fails while the file is not open. */
  readonly read: <A>(run: (file: SqliteFile.SqliteFile) => A) => Effect.Effect<A, unknown>
  /** Opens the file first if it is not open or was replaced by another file. */
  readonly write: <A>(run: (file: SqliteFile.SqliteFile) => A) => Effect.Effect<A, unknown>
  readonly isOpen: () => boolean
  readonly close: Effect.Effect<void, unknown>
}

const notOpen = new Error("the file is not open")

/**
 * Renames a damaged file and replaces it by a new file: the current operation fails, and later operations work. `file`
 * is undefined if it could not be opened yet.
 */
const connectionOf = (path: string, walLimit: number, file: SqliteFile.SqliteFile | undefined): SqliteConnection => {
  let current = file

  const close = () => {
    const closing = current
    current = undefined
    return Either.try(() => closing?.close())
  }

  const replace = (damage: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Another process with the same file may already have replaced it.
      const isOurs = current?.isReplaced() === false
      close()
      // The next write logs why the file could not be opened.
      Either.try(() => {
        if (isOurs) SqliteFile.renameDamaged(path, now)
        current = SqliteFile.connect(path, walLimit)
      })
      return isOurs ? Effect.logWarning(setAside(path, now, damage)) : Effect.void
    })

  const use = <A>(run: () => A): Effect.Effect<A, unknown> =>
    Effect.tapError(Effect.try({ try: run, catch: (cause) => cause }), (cause) =>
      SqliteFile.isDamage(cause) ? replace(cause) : Effect.void
    )

  return {
    isOpen: () => current !== undefined,
    read: (run) => use(() => run(current ?? fail(notOpen))),
    write: (run) =>
      use(() => {
        if (current?.isReplaced() === true) close()
        current ??= SqliteFile.connect(path, walLimit)
        return run(current)
      }),
    close: Effect.suspend(close)
  }
}

const fail = (cause: unknown): never => {
  throw cause
}

/** The log line about a damaged file. */
const setAside = (path: string, now: number, damage: unknown) =>
  `SQLITE_PATH: "${path}" is damaged (${SqliteFile.messageOf(damage)}). It was renamed to ` +
  `"${SqliteFile.damagedPath(path, now)}", and a new file is used; its contents are fetched again`

/** Opens the file at the start. Unless strict, a file that is damaged, locked or cannot be used does not stop the start. */
export const open = (path: string, walLimit: number, strict: boolean) =>
  Effect.suspend(() => {
    const identity = SqliteFile.identityOf(path)
    const attempt = (run: () => SqliteFile.SqliteFile) => Effect.try({ try: run, catch: (cause) => cause })
    return attempt(() => SqliteFile.connect(path, walLimit)).pipe(
      Effect.retry({
        while: SqliteFile.isBusy,
        schedule: Schedule.intersect(Schedule.spaced(lockedPause), Schedule.upTo(Schedule.forever, maxLocked))
      }),
      Effect.catchIf(
        (cause) => !strict && SqliteFile.isDamage(cause),
        (cause) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.zipLeft(
              attempt(() => {
                if (SqliteFile.identityOf(path) === identity) SqliteFile.renameDamaged(path, now)
                return SqliteFile.connect(path, walLimit)
              }),
              Effect.logWarning(setAside(path, now, cause))
            )
          )
      ),
      Effect.catchIf(
        () => !strict,
        (cause) => {
          const { advice, reason } = sqliteProblem.of(path, cause)
          return Effect.as(
            Effect.logError(
              `SQLITE_PATH: "${path}" cannot be used now: ${reason}. The service runs without a cache until it can. ${advice}`
            ),
            undefined
          )
        }
      ),
      Effect.mapBoth({
        onFailure: (cause) => unusable(path, cause),
        onSuccess: (file) => connectionOf(path, walLimit, file)
      })
    )
  })

const unusable = (path: string, cause: unknown) => {
  const { advice, reason } = sqliteProblem.of(path, cause)
  return new StoreOpenError({
    variable: "SQLITE_PATH",
    problem: `"${path}" cannot be used: ${reason}. ${advice}`,
    cause
  })
}
