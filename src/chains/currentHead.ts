import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { blockTimeOf, type ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"

// Whether the newest block of a source is one that the network can have now. A source that stands still answers every call.

type HeadFacts = Pick<ChainFacts, "blockTime" | "proxy" | "sunset" | "began">

/** A source of errors. */
interface Failing {
  readonly fault: (fault: Fault) => UpstreamError
}

/**
 * Seconds between the clock and the newest block of a healthy source. Where the block time is not known, the network may
 * be one that makes a block only when there is a transaction.
 */
export const toleranceOf = (facts: HeadFacts) => {
  const blockTime = blockTimeOf(facts)
  return blockTime === undefined ? 3600 : Math.max(180, (25 * blockTime) / 1000)
}

/** Blocks are at most this much faster than their usual time. */
const maxSpeed = 10

/** Fails if the newest block of a source, in UNIX seconds, does not fit the clock. A network that was shut down has no new blocks. */
export const requireCurrent = (source: Failing, facts: HeadFacts, timestamp: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const lag = now / 1000 - timestamp
    if (lag <= toleranceOf(facts) || (lag > 0 && facts.sunset !== undefined))
      return lag >= -toleranceOf(facts) ? Effect.void : Effect.fail(source.fault(ahead))
    return Effect.fail(source.fault(behind))
  })

/**
 * More than the heights that a network can have now (clock time, ms). Its blocks are counted from 1970, as simulated networks
 * do; a clock from before its first block proves nothing.
 */
export const maxHeightOf = (facts: HeadFacts, now: number): number => {
  const blockTime = blockTimeOf(facts)
  const isBefore = now < 1000 * (facts.began ?? 0)
  return blockTime === undefined || isBefore ? Number.MAX_SAFE_INTEGER : (maxSpeed * now) / blockTime
}

/** Fails if the network cannot have a block of this height. */
export const requireHeight = (source: Failing, facts: HeadFacts, height: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    height > 0 && height <= maxHeightOf(facts, now) ? Effect.void : Effect.fail(source.fault(noHeight))
  )

/** Blocks may be this much ahead of the clock, seconds, as nodes of Bitcoin accept them. */
export const maxAhead = 7_200

/** Whether something on a network can have this time, in UNIX seconds; `now` in ms, of which one before its first block proves nothing. */
export const isTimeOf = ({ began = 0 }: HeadFacts, timestamp: number, now: number): boolean =>
  now < 1000 * began || (timestamp >= began && timestamp <= now / 1000 + maxAhead)

const behind: Fault = { reason: "bad_answer", detail: "the node is behind the network" }
const ahead: Fault = { reason: "bad_answer", detail: "the node returned a block from the future" }
const noHeight: Fault = { reason: "bad_answer", detail: "returned a height that the network does not have" }
