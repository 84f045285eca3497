import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type FundingError, timedOut } from "./FundingError.ts"

/** The state of one funding. */
export interface Job {
  /** Deadline for sending its transaction, ms. */
  readonly until: number
  /** Whether the transaction was sent and not certainly refused, so that the coins may arrive. */
  sent: boolean
  /** Hash of the last transaction. */
  hash: string | undefined
}

/** How to give coins to an address (in lower case), for one funding at a time. */
export interface FundingMethod {
  /** Returns the hash of the transaction that the node has accepted, or null if the method sends no transaction. */
  readonly give: (address: `0x${string}`, job: Job) => Effect.Effect<string | null, FundingError>
}

/** Marks a job as sent: a waiting client is then informed that the coins may arrive. */
export const markSent = (job: Job, hash?: string): Effect.Effect<void, FundingError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now >= job.until) return timedOut(false, undefined)
    job.sent = true
    job.hash = hash
    return Effect.void
  })

/** Marks a job as not sent, after the node has certainly refused it. */
export const markNotSent = (job: Job): Effect.Effect<void> =>
  Effect.sync(() => {
    job.sent = false
    job.hash = undefined
  })
