import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqliteConnection } from "./SqliteConnection.ts"
import * as SqliteFile from "./SqliteFile.ts"
import type * as WriteQueue from "./WriteQueue.ts"

/** The largest size of the file and of its write-ahead log, in bytes. */
export interface Limits {
  readonly file: number
  readonly wal: number
}

/** Rows deleted at a time: SQLite runs on the event loop, and requests wait meanwhile. */
const evictRows = 100

/** Rows are deleted until the file has this share of its limit. */
const evictTo = 0.95

/** The pause between two steps of the same work. */
export const pause: Duration.DurationInput = "5 millis"

/** The pause before a write is tried again that found the file locked by another process. */
export const lockedPause: Duration.DurationInput = "50 millis"

/** The pause after a write that failed for another reason. */
const faultPause: Duration.DurationInput = "1 second"

/** Reduces the file to its limits, a step at a time; returns whether there is more to do. */
const tidying = (limits: Limits) => {
  let evicting = false
  return (file: SqliteFile.SqliteFile): boolean => {
    const sizes = file.sizes()
    if (sizes.wal > limits.wal) file.checkpoint()
    evicting = sizes.used > (evicting ? evictTo : 1) * limits.file
    const shrinking = !evicting && sizes.file > limits.file
    if (evicting) file.inTransaction(() => file.evict(evictRows))
    if (shrinking) file.shrink()
    return evicting || shrinking
  }
}

/** Writes the next changes; returns the pause before the next step, undefined where nothing is left to do. */
export const make = (
  path: string,
  connection: SqliteConnection,
  queue: ReturnType<typeof WriteQueue.make>,
  limits: Limits
) => {
  const tidy = tidying(limits)
  let failing = false

  /** A log line when writes begin to fail, and another when they work again. */
  const note = (cause?: unknown) =>
    Effect.suspend(() => {
      if (failing === (cause !== undefined)) return Effect.void
      failing = cause !== undefined
      return failing
        ? Effect.logWarning(`SQLITE_PATH: "${path}" cannot be written: ${SqliteFile.messageOf(cause)}`)
        : Effect.logInfo(`SQLITE_PATH: "${path}" can be written again`)
    })

  const merged = (jobs: ReadonlyArray<WriteQueue.Job>) =>
    Effect.map(
      connection.write((file) => file.inTransaction(() => jobs.map((job) => job.run(file)))),
      (completions) => {
        jobs.forEach(queue.drop)
        for (const complete of completions) complete()
      }
    )

  const failed = (jobs: ReadonlyArray<WriteQueue.Job>, cause: unknown) =>
    Effect.sync(() => {
      for (const job of jobs) {
        queue.drop(job)
        job.fail(cause)
      }
    })

  /** A change that cannot be made fails no other. */
  const separately = (jobs: ReadonlyArray<WriteQueue.Job>) =>
    Effect.forEach(
      jobs,
      (job) =>
        Effect.catchIf(
          merged([job]),
          (cause) => !SqliteFile.isBusy(cause),
          (cause) => failed([job], cause)
        ),
      { discard: true }
    )

  /** Whether another process reads the file for so long that its log would grow with every write. */
  const isLogBlocked = (file: SqliteFile.SqliteFile) => {
    const tooLarge = () => file.sizes().wal > 2 * limits.wal
    if (!tooLarge()) return false
    file.checkpoint()
    return tooLarge()
  }

  return Effect.gen(function* () {
    if (yield* connection.write(isLogBlocked)) {
      yield* note(new Error("another process reads it for too long"))
      return lockedPause
    }
    const jobs = queue.next()
    if (jobs.length > 0) yield* merged(jobs)
    if (jobs.length > 0) yield* note()
    const more = yield* connection.write(tidy)
    return more || !queue.isEmpty() ? pause : undefined
  }).pipe(
    Effect.catchAll((cause) => {
      if (SqliteFile.isBusy(cause)) return Effect.succeed(lockedPause)
      // The file has been replaced by a new one.
      if (SqliteFile.isDamage(cause)) return Effect.succeed(pause)
      const jobs = queue.next()
      const unusable = SqliteFile.isUnusable(cause)
      return (unusable ? Effect.zipRight(failed(jobs, cause), note(cause)) : separately(jobs)).pipe(
        Effect.match({ onSuccess: () => (unusable ? faultPause : pause), onFailure: () => lockedPause })
      )
    })
  )
}
