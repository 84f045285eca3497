import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import type { SqliteFile } from "./SqliteFile.ts"
import { StoreError } from "./Store.ts"

/** A change of the file that waits to be made. */
export interface Change<A> {
  readonly operation: StoreError["operation"]
  /** Makes it, inside of a transaction. */
  readonly run: (file: SqliteFile) => A
  /** How much text it holds until then, in characters. */
  readonly size?: number
  /** Dropped when its caller no longer waits; other changes are made all the same. */
  readonly revocable?: boolean
}

export interface Job {
  readonly size: number
  /** Makes the change; what it gives says so to who waits for it. */
  readonly run: (file: SqliteFile) => () => void
  readonly fail: (cause: unknown) => void
}

/** How much may wait; what comes then fails at once. */
const bounds = { jobs: 20_000, characters: 32 * 1024 * 1024 }

/** How much goes into one transaction: SQLite runs on the event loop, and requests wait meanwhile. */
const batch = { jobs: 200, characters: 512 * 1024 }

const dropped = Metric.counter("store_writes_dropped_total", {
  description: "Writes to the cache file that were given up because too many waited",
  incremental: true
})

/** Changes in the order in which they came; `wake` is called for each. */
export const make = (wake: () => void, limits = bounds) => {
  const waiting = new Set<Job>()
  let characters = 0
  let closed = false

  const drop = (job: Job) => {
    if (waiting.delete(job)) characters -= job.size
  }

  return {
    isEmpty: () => waiting.size === 0,
    /** Ends when it is made. */
    submit: <A>({ operation, revocable, run, size = 0 }: Change<A>): Effect.Effect<A, StoreError> =>
      Effect.async((resume) => {
        const fail = (cause: unknown) => resume(Effect.fail(new StoreError({ operation, cause })))
        if (closed) return fail(new Error("the file is closed"))
        if (waiting.size >= limits.jobs || characters + size > limits.characters) {
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
        waiting.add(job)
        characters += size
        wake()
        return revocable === true ? Effect.sync(() => drop(job)) : undefined
      }),
    /** What is to be written next, together; it waits until it is dropped. */
    next: (): ReadonlyArray<Job> => {
      const jobs: Array<Job> = []
      let sum = 0
      for (const job of waiting) {
        sum += job.size
        if (jobs.length === batch.jobs || (jobs.length > 0 && sum > batch.characters)) break
        jobs.push(job)
      }
      return jobs
    },
    drop,
    /** What waits fails, and what comes later. */
    close: () => {
      closed = true
      for (const job of waiting) job.fail(new Error("the file is closed"))
      waiting.clear()
    }
  }
}
