import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import type { SqliteFile } from "./SqliteFile.ts"
import { StoreError } from "./Store.ts"

/** A pending change of the file. */
export interface Change<A> {
  readonly operation: StoreError["operation"]
  /** Makes the change, inside of a transaction. */
  readonly run: (file: SqliteFile) => A
  /** The text that it keeps in memory until then, in characters. */
  readonly size?: number
  /** Whether it is dropped when its caller no longer waits. */
  readonly revocable?: boolean
  /** Whether a request waits for it: it goes before all that are not. */
  readonly urgent?: boolean
}

export interface Job {
  readonly size: number
  /** Makes the change; the function it returns completes the waiting caller. */
  readonly run: (file: SqliteFile) => () => void
  readonly fail: (cause: unknown) => void
}

/** The limits of the queue; a change beyond them fails at once. */
const bounds = { jobs: 20_000, characters: 32 * 1024 * 1024 }

/** The limits of one transaction: SQLite runs on the event loop, and requests wait meanwhile. */
const batch = { jobs: 200, characters: 512 * 1024 }

const dropped = Metric.counter("store_writes_dropped_total", {
  description: "Writes to the cache file that were given up because too many waited",
  incremental: true
})

/** A queue of changes; `wake` is called for each. */
export const make = (wake: () => void, limits = bounds) => {
  const waiting = new Set<Job>()
  const urgently = new Set<Job>()
  const inOrder = function* () {
    yield* urgently
    yield* waiting
  }
  let characters = 0
  let closed = false

  // From the start: the increase from nothing to one is none.
  dropped.unsafeUpdate(0, [])

  const drop = (job: Job) => {
    if (waiting.delete(job) || urgently.delete(job)) characters -= job.size
  }

  return {
    isEmpty: () => waiting.size + urgently.size === 0,
    /** Ends when the change is made. */
    submit: <A>({ operation, revocable, run, size = 0, urgent = false }: Change<A>): Effect.Effect<A, StoreError> =>
      Effect.async((resume) => {
        const fail = (cause: unknown) => resume(Effect.fail(new StoreError({ operation, cause })))
        if (closed) return fail(new Error("the file is closed"))
        if (waiting.size + urgently.size >= limits.jobs || characters + size > limits.characters) {
          dropped.unsafeUpdate(1, [])
          return fail(new Error("too much waits to be written"))
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
        return revocable === true ? Effect.sync(() => drop(job)) : undefined
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
    /** Pending changes fail, and later ones. */
    close: () => {
      closed = true
      for (const job of inOrder()) job.fail(new Error("the file is closed"))
      urgently.clear()
      waiting.clear()
    }
  }
}
