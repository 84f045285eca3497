import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import type { SqliteConnection } from "./SqliteConnection.ts"
import * as SqliteFile from "./SqliteFile.ts"
import { StoreError } from "./Store.ts"
import * as sqliteProblem from "./sqliteProblem.ts"

/** Maximum size of the file and of its write-ahead log, in bytes. */
export interface Limits {
  readonly file: number
  readonly wal: number
}

/** Rows deleted at a time: SQLite runs on the event loop, and requests wait meanwhile. */
const evictRows = 100

/** Share of the file that levels of quotas may take while it is full, and bytes of one with its place in the index. */
const quotaShare = 1 / 4
const quotaBytes = 256

/** Rows are deleted until the file is at this share of its limit. */
const evictTo = 0.95

/** The pause between two steps of the same work. */
export const pause: Duration.DurationInput = "5 millis"

/** The pause before a write is retried because another process had locked the file, ms. */
export const lockedPause = 50

/** How long a file may be locked before that is logged. A start waits as long. */
export const maxLocked: Duration.DurationInput = "2 seconds"

/** The pauses after a failed write, ms: the first while the file is open, else they double up to the second. */
const pauses = { locked: [lockedPause, 5_000], otherwise: [1_000, 60_000] } as const

/** Reduces the file to its limits, a step at a time; returns whether there is more to do, or whether it cannot go on. */
const shrinkStep = (limits: Limits) => {
  let evicting = false
  return (file: SqliteFile.SqliteFile): boolean | "stuck" => {
    const sizes = file.sizes()
    if (sizes.wal > limits.wal) file.checkpoint()
    evicting = sizes.used > (evicting ? evictTo : 1) * limits.file
    const shrinking = !evicting && sizes.file > limits.file
    // What remains is no entry that could be deleted: further attempts would never end.
    if (
      evicting &&
      !file.inTransaction(() => file.evict(evictRows, Math.floor((quotaShare * limits.file) / quotaBytes)))
    )
      return "stuck"
    if (shrinking) file.shrink()
    return evicting || shrinking
  }
}

/** Logs what happens to the file at a path, once. */
const noting = (path: string, isOpen: boolean) => {
  // The start has logged why the file is not open.
  let isFailing = !isOpen
  let isStuck = false
  return {
    /** Notes that a write failed for this cause, or that one has succeeded. */
    note: (cause?: unknown) =>
      Effect.suspend(() => {
        if (isFailing === (cause !== undefined)) return Effect.void
        isFailing = cause !== undefined
        if (isFailing) {
          const { advice, reason } = sqliteProblem.of(path, cause)
          return Effect.logWarning(
            `SQLITE_PATH: "${path}" cannot be written now: ${reason}. New entries are in memory only until it can. ${advice}`
          )
        }
        return Effect.logInfo(`SQLITE_PATH: "${path}" can be written again`)
      }),
    noteStuck: Effect.suspend(() => {
      if (isStuck) return Effect.void
      isStuck = true
      return Effect.logWarning(`SQLITE_PATH: "${path}" is larger than CACHE_MAX_MB, and has no entries to delete`)
    })
  }
}

/** Counts failed attempts to open a file, and the time for which it is locked. */
const attemptsOf = (isOpen: () => boolean) => {
  let failedOpens = 0
  let lockedSince: number | undefined

  /** The pause after a failed attempt. */
  const pauseAfter = (cause: keyof typeof pauses): Duration.DurationInput => {
    const [first, last] = pauses[cause]
    return isOpen() ? first : Math.min(last, first * 2 ** failedOpens++)
  }

  return {
    pauseAfter,
    succeeded: () => {
      failedOpens = 0
      lockedSince = undefined
    },
    /** Runs `note` if another process keeps the lock for too long; returns the pause. */
    locked: (note: Effect.Effect<void>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        lockedSince ??= now
        const isLong = now - lockedSince >= Duration.toMillis(maxLocked)
        return Effect.map(isLong ? note : Effect.void, () => pauseAfter("locked"))
      })
  }
}

/** Writes the next changes; returns the pause before the next step, or undefined if no work is left. */
export const make = (path: string, connection: SqliteConnection, queue: ReturnType<typeof queueOf>, limits: Limits) => {
  const tidy = shrinkStep(limits)
  const { note, noteStuck } = noting(path, connection.isOpen())
  const attempts = attemptsOf(connection.isOpen)

  const merged = (jobs: ReadonlyArray<Job>) =>
    Effect.map(
      connection.write((file) => file.inTransaction(() => jobs.map((job) => job.run(file)))),
      (completions) => {
        jobs.forEach(queue.drop)
        for (const complete of completions) complete()
      }
    )

  const failed = (jobs: ReadonlyArray<Job>, cause: unknown) =>
    Effect.sync(() => {
      for (const job of jobs) {
        queue.drop(job)
        job.fail(cause)
      }
    })

  /** Applies changes one by one, so that a failing change does not fail the others. */
  const applySeparately = (jobs: ReadonlyArray<Job>) =>
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

  /** Whether a long read by another process keeps the log from being emptied, so that every write would enlarge it. */
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
    attempts.succeeded()
    if (more === "stuck") yield* noteStuck
    if (queue.isUrgent()) return 0
    return more === true || !queue.isEmpty() ? pause : undefined
  }).pipe(
    Effect.catchAll((cause): Effect.Effect<Duration.DurationInput> => {
      if (SqliteFile.isBusy(cause)) return attempts.locked(note(cause))
      // The file has been replaced by a new file.
      if (SqliteFile.isDamage(cause) && connection.isOpen()) return Effect.succeed(pause)
      const jobs = queue.next()
      const unusable = SqliteFile.isUnusable(cause)
      if (!unusable && connection.isOpen())
        return applySeparately(jobs).pipe(Effect.match({ onSuccess: () => pause, onFailure: () => lockedPause }))
      return Effect.map(Effect.zipRight(failed(jobs, cause), note(cause)), () => attempts.pauseAfter("otherwise"))
    })
  )
}

export interface Change<A> {
  readonly operation: StoreError["operation"]
  /** Applies the change, inside a transaction. */
  readonly run: (file: SqliteFile.SqliteFile) => A
  /** Characters of text that it holds in memory while it is queued. */
  readonly size?: number
  /** Whether it is dropped when its caller is interrupted. */
  readonly cancellable?: boolean
  /** Whether a request waits for it: urgent changes run before all others. */
  readonly urgent?: boolean
}

interface Job {
  readonly size: number
  /** Applies the change; the returned function completes the waiting caller. */
  readonly run: (file: SqliteFile.SqliteFile) => () => void
  readonly fail: (cause: unknown) => void
}

/** The limits of the queue; a change beyond them fails immediately. */
const bounds = { jobs: 20_000, characters: 32 * 1024 * 1024 }

/** The limits of one transaction: SQLite runs on the event loop, and requests wait meanwhile. */
const batch = { jobs: 200, characters: 512 * 1024 }

const dropped = Metric.counter("store_writes_dropped_total", {
  description: "Writes to the cache file that were dropped because the queue was full",
  incremental: true
})

/** A queue of changes; `wake` is called for each change. */
export const queueOf = (wake: () => void, limits = bounds) => {
  const waiting = new Set<Job>()
  const urgently = new Set<Job>()
  const inOrder = function* () {
    yield* urgently
    yield* waiting
  }
  let characters = 0
  let closed = false

  // Creates the series at 0: a series that first appears at 1 shows no increase.
  dropped.unsafeUpdate(0, [])

  const drop = (job: Job) => {
    if (waiting.delete(job) || urgently.delete(job)) characters -= job.size
  }

  return {
    isEmpty: () => waiting.size + urgently.size === 0,
    isUrgent: () => urgently.size > 0,
    /** Completes when the change has been written. */
    submit: <A>({ operation, cancellable, run, size = 0, urgent = false }: Change<A>): Effect.Effect<A, StoreError> =>
      Effect.async((resume) => {
        const fail = (cause: unknown) => resume(Effect.fail(new StoreError({ operation, cause })))
        if (closed) return fail(new Error("the file is closed"))
        if (waiting.size + urgently.size >= limits.jobs || characters + size > limits.characters) {
          dropped.unsafeUpdate(1, [])
          return fail(new Error("the write queue is full"))
        }
        const job: Job = {
          size,
          fail,
          run: (file) => {
            const value = run(file)
            return () => resume(Exit.succeed(value))
          }
        }
        ;(urgent ? urgently : waiting).add(job)
        characters += size
        wake()
        return cancellable === true ? Effect.sync(() => drop(job)) : undefined
      }),
    /** The changes of the next transaction; they remain in the queue until they are dropped. */
    next: (): ReadonlyArray<Job> => {
      const jobs: Array<Job> = []
      let sum = 0
      for (const job of inOrder()) {
        sum += job.size
        if (jobs.length === batch.jobs || (jobs.length > 0 && sum > batch.characters)) break
        jobs.push(job)
      }
      return jobs
    },
    drop,
    /** Fails pending and later changes. */
    close: () => {
      closed = true
      for (const job of inOrder()) job.fail(new Error("the file is closed"))
      urgently.clear()
      waiting.clear()
    }
  }
}
