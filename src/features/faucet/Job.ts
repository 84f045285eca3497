import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type FundingError, late } from "./FundingError.ts"

/** One funding under way, as far as others look at it. */
export interface Job {
  /** Nothing is sent for it any more from this time on, ms. */
  readonly until: number
  /** It went out, and is not known to have been refused: the coins may arrive. */
  sent: boolean
  /** Of the transaction that went out last. */
  hash: string | undefined
}

/** One way of giving coins to an address (in lower case), for one funding at a time. */
export interface FundingMethod {
  /** The hash of the transaction that the node has accepted, or null where coins come without one. */
  readonly give: (address: `0x${string}`, job: Job) => Effect.Effect<string | null, FundingError>
}

/** The point of no return: whoever waits is told either that nothing was sent, or that it was. */
export const begin = (job: Job, hash?: string): Effect.Effect<void, FundingError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now >= job.until) return late(false, undefined)
    job.sent = true
    job.hash = hash
    return Effect.void
  })

/** What went out was certainly refused. */
export const undo = (job: Job): Effect.Effect<void> =>
  Effect.sync(() => {
    job.sent = false
    job.hash = undefined
  })
