import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as SqliteConnection from "./SqliteConnection.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { lockedPause } from "./SqliteWriter.ts"
import { StoreOpenError } from "./Store.ts"

/** How long a start waits for the lock of another process. */
const maxWait = "2 seconds"

/** Opens the file at the start. Unless strict, a damaged, locked or read-only file does not stop the start. */
export const openSqlite = (path: string, walLimit: number, strict: boolean) =>
  Effect.suspend(() => {
    const identity = SqliteFile.identityOf(path)
    const attempt = (run: () => SqliteFile.SqliteFile) => Effect.try({ try: run, catch: (cause) => cause })
    return attempt(() => SqliteFile.connect(path, walLimit)).pipe(
      Effect.retry({
        while: SqliteFile.isBusy,
        schedule: Schedule.intersect(Schedule.spaced(lockedPause), Schedule.upTo(Schedule.forever, maxWait))
      }),
      Effect.catchIf(
        (cause) => !strict && SqliteFile.isDamage(cause),
        (cause) =>
          Effect.zipLeft(
            attempt(() => {
              if (SqliteFile.identityOf(path) === identity) SqliteFile.setAside(path)
              return SqliteFile.connect(path, walLimit)
            }),
            Effect.logWarning(SqliteConnection.setAside(path, cause))
          )
      ),
      Effect.catchIf(
        (cause) => !strict && (SqliteFile.isBusy(cause) || SqliteFile.isDiskFault(cause)),
        (cause) =>
          Effect.as(
            Effect.logWarning(`SQLITE_PATH: "${path}" cannot be used for now: ${SqliteFile.messageOf(cause)}`),
            undefined
          )
      ),
      Effect.mapBoth({
        onFailure: (cause) => unusable(path, cause),
        onSuccess: (file) => SqliteConnection.make(path, walLimit, file)
      })
    )
  })

const unusable = (path: string, cause: unknown) =>
  new StoreOpenError({
    variable: "SQLITE_PATH",
    problem:
      `"${path}" cannot be used: ${SqliteFile.messageOf(cause)}. Name a file in a folder that exists ` +
      "and can be written; a damaged file may be deleted, as its contents can be fetched again",
    cause
  })
