import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type FundingError, timedOut } from "./FundingError.ts"

/** The state of one funding. */
export interface Job {
  /** From this time on nothing is sent for it, ms. */
  readonly until: number
  /** The transaction was sent, and not certainly refused: the coins may arrive. */
  sent: boolean
  /** Of the last transaction. */
  hash: string | undefined
}

/** How coins are given to an address (in lower case), for one funding at a time. */
export interface FundingMethod {
  /** The hash of the transaction that the node has accepted, or null where coins come without one. */
  readonly give: (address: `0x${string}`, job: Job) => Effect.Effect<string | null, FundingError>
}

/** From here on a client that waits is informed that something was sent. */
export const begin = (job: Job, hash?: string): Effect.Effect<void, FundingError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now >= job.until) return timedOut(false, undefined)
    job.sent = true
    job.hash = hash
    return Effect.void
  })

/** What was sent was certainly refused. */
export const undo = (job: Job): Effect.Effect<void> =>
  Effect.sync(() => {
    job.sent = false
    job.hash = undefined
  })
