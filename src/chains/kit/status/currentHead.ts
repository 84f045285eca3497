import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as MetricKey from "effect/MetricKey"
import * as Option from "effect/Option"
import * as BlockTimes from "../../../catalogue/BlockTimes.ts"
import { blockTimeOf, type ChainFacts } from "../../../catalogue/NetworkFacts.ts"
import {
  distance,
  greatest,
  type Height,
  height,
  least,
  type Millis,
  now,
  numberOf,
  type Seconds,
  seconds,
  shift,
  toSeconds
} from "../../../domain/units.ts"
import { lookups } from "../../../kernel/collections/lookups.ts"
import { alwaysMeasured, labelled, noValue } from "../../../kernel/counters.ts"
import { timeoutOption } from "../../../kernel/timeout.ts"
import * as Sources from "../../../upstream/Sources.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { NewestBlock, ReadFailure, SourceHead } from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"

// Checks that the newest block of a source fits the clock: a stalled source still responds to every call.

type HeadFacts = Pick<ChainFacts, "blockTime" | "id" | "proxy" | "sunset" | "genesisTime">

type Genesis = Pick<HeadFacts, "genesisTime">

/** Creates errors of a source. */
interface FaultSource {
  readonly fault: (fault: Fault) => UpstreamError
}

/**
 * Maximum difference between the clock and the newest block of a healthy source, seconds. One hour if the block time is
 * unknown: the network may produce blocks only when there are transactions.
 */
export const toleranceOf = (facts: HeadFacts) => {
  const blockTime = blockTimeOf(facts)
  return blockTime === undefined ? 3600 : Math.max(180, (25 * blockTime) / 1000)
}

/** Maximum factor by which blocks come faster than at the average block time. */
const maxSpeed = 10

const ages = MetricKey.gauge("network_head_age_seconds", {
  description:
    "Age of the newest known block of a network; absent if no source has returned its newest block for 10 minutes"
})
const limits = MetricKey.gauge("network_head_age_limit_seconds", {
  description: "Age of its newest block from which a source is behind the network"
})

/** Time without a newest block of any source after which the age of the last one says nothing about the network, s. */
const maxUnread = 600

/** The time of the newest known block of each network, and when a source last returned its own newest block. */
const heads = new Map<string, { readonly newest: Seconds; readonly readAt: Seconds }>()

const note = (facts: HeadFacts, timestamp: Seconds, clock: Seconds): void => {
  const known = heads.get(facts.id)
  if (known === undefined) labelled(limits, { network: facts.id }).unsafeUpdate(toleranceOf(facts), [])
  heads.set(facts.id, { newest: greatest(timestamp, known?.newest ?? timestamp), readAt: clock })
}

alwaysMeasured(
  Effect.map(now, (time) => {
    const clock = toSeconds(time)
    for (const [network, { readAt, newest }] of heads)
      labelled(ages, { network }).unsafeUpdate(
        Math.abs(distance(readAt, clock)) > maxUnread ? noValue : Math.max(0, distance(newest, clock)),
        []
      )
  })
)

/** The time of the newest block of each source, as of the last time that it was read, for any purpose. */
const newestTimes = new WeakMap<FaultSource, Seconds>()

/** Whether the last newest block of a source still fits the clock: the source has this block, or a newer one. */
const isStillCurrent = (source: FaultSource, facts: HeadFacts, clock: Seconds): boolean => {
  const newest = newestTimes.get(source)
  return newest !== undefined && newest <= clock && distance(newest, clock) <= toleranceOf(facts)
}

/** Fails if the time of a source's newest block does not fit the clock. A network that was shut down may lag. */
export const requireCurrent = (source: FaultSource, facts: HeadFacts, timestamp: Seconds) =>
  Effect.flatMap(now, (time) => {
    const clock = toSeconds(time)
    const lag = distance(timestamp, clock)
    // A block from the future says nothing about the age of the data.
    if (lag >= -toleranceOf(facts)) newestTimes.set(source, least(timestamp, clock))
    else newestTimes.delete(source)
    if (facts.sunset === undefined && lag >= -toleranceOf(facts)) note(facts, timestamp, clock)
    if (lag <= toleranceOf(facts) || (lag > 0 && facts.sunset !== undefined))
      return lag >= -toleranceOf(facts) ? Effect.void : Effect.fail(source.fault(ahead))
    return Effect.fail(source.fault(behind))
  })

/** Whether the clock is before the first block of a network, as in simulations: it then limits nothing. */
const isBeforeGenesis = ({ genesisTime }: Genesis, clock: Millis) =>
  genesisTime !== undefined && toSeconds(clock) < genesisTime

/**
 * Upper bound for the height of a network. Counts blocks from 1970, because simulated networks do. Unlimited if the
 * block time is unknown.
 */
export const maxHeightOf = (facts: HeadFacts, clock: Millis): Height => {
  const blockTime = blockTimeOf(facts)
  return blockTime === undefined || isBeforeGenesis(facts, clock)
    ? height(Number.MAX_SAFE_INTEGER)
    : height((maxSpeed * numberOf(clock)) / blockTime)
}

/** Fails if the network cannot have a block of this height. */
export const requireHeight = (source: FaultSource, facts: HeadFacts, newest: Height) =>
  Effect.flatMap(now, (clock) =>
    newest > height(0) && newest <= maxHeightOf(facts, clock) ? Effect.void : Effect.fail(source.fault(noHeight))
  )

/** The newest block of a source. */
export interface Head {
  readonly height: Height
  /** When it was made. */
  readonly time: Seconds
  /** `time` is when the source received the block. */
  readonly isReceived?: true
}

/** Fails if a newest block cannot be that of the network by its time or height; else it measures the time between blocks. */
export const requireHead = (source: FaultSource, facts: HeadFacts, head: Head) =>
  Effect.gen(function* () {
    yield* requireCurrent(source, facts, head.time)
    yield* requireHeight(source, facts, head.height)
    if (!head.isReceived) BlockTimes.note(facts, head)
  })

/**
 * True if another source has blocks that this one lacks, more than sources usually differ by, and as many as can have
 * come in the time between their newest blocks.
 */
const isOvertakenBy = (facts: HeadFacts, own: Head, other: Head): boolean => {
  const blockTime = blockTimeOf(facts)
  if (blockTime === undefined) return false
  const blocks = distance(own.height, other.height)
  const possible = own.isReceived ? blocks : (maxSpeed * 1000 * distance(own.time, other.time)) / blockTime
  return blocks > Math.max(3, 180_000 / blockTime) && blocks <= possible
}

/** How long a check is not repeated that failed; that could not read a newest block; of a source that returns none. */
const [failedFor, unreadFor, absentFor] = ["10 seconds", "1 minute", "1 hour"] as const

/** Whether a source does not know the request: it would count as a failure of the source each time. */
const isAbsent = (cause: Cause.Cause<UpstreamError>) =>
  Option.exists(Cause.failureOption(cause), ({ status }) => status === 404 || status === 405)

/** Longest wait for the newest block of a source; then its data is read without the check. */
const maxWait = "2 seconds"

type ReadHead = Effect.Effect<Head, UpstreamError>

/** Checks a source; `read` reads its newest block. */
export type HeadCheck = (source: FaultSource, read: ReadHead) => Effect.Effect<void, UpstreamError>

/**
 * Returns a check of sources whose responses have no block: fails if the newest block of a source does not fit the clock,
 * or if another source of the network has much newer blocks. Reads a newest block only if the last one that the source
 * returned, for any purpose, is too old; all callers share that read. A newest block that cannot be read is no reason to
 * reject the data of a source.
 */
export const headCheck = (facts: HeadFacts): Effect.Effect<HeadCheck> => {
  const reads = new Map<FaultSource, ReadHead>()
  const heads = new Map<FaultSource, Head>()
  const isOvertaken = (source: FaultSource, clock: Seconds) => {
    const own = heads.get(source)
    const isNewer = ([other, head]: readonly [FaultSource, Head]) =>
      own !== undefined && isStillCurrent(other, facts, clock) && isOvertakenBy(facts, own, head)
    return [...heads].some(isNewer)
  }
  const check = (source: FaultSource) =>
    Effect.gen(function* () {
      // A defect of a read fails only the read.
      const head = yield* Effect.either(Effect.sandbox(reads.get(source) ?? Effect.never))
      heads.delete(source)
      if (Either.isLeft(head)) return isAbsent(head.left) ? absentFor : unreadFor
      yield* requireCurrent(source, facts, head.right.time)
      heads.set(source, head.right)
      return isOvertaken(source, toSeconds(yield* now)) ? yield* source.fault(behind) : 0
    })
  return Effect.map(
    lookups({
      capacity: 100,
      timeToLive: (exit) => (Exit.isFailure(exit) ? failedFor : exit.value),
      lookup: check
    }),
    (isChecked) => (source, read) =>
      Effect.flatMap(now, (time) => {
        const clock = toSeconds(time)
        if (isStillCurrent(source, facts, clock) && !isOvertaken(source, clock)) return Effect.void
        reads.set(source, read)
        return Effect.asVoid(timeoutOption(isChecked(source), maxWait))
      })
  )
}

const noSource: ReadFailure = { reason: "not_configured", message: "no source is configured" }

/**
 * Reads the newest block of a network from the first source whose newest block fits the clock and the network. `none`
 * is the failure without a source.
 */
export const newestBlock = <S extends Sources.Source & FaultSource>(
  facts: HeadFacts,
  sources: ReadonlyArray<S>,
  read: (source: S) => Effect.Effect<Head, UpstreamError>,
  none = noSource
): Effect.Effect<NewestBlock, ReadFailure> =>
  Sources.first(
    sources,
    (source) =>
      Effect.gen(function* () {
        const head = yield* read(source)
        yield* requireHead(source, facts, head)
        return head.isReceived ? { height: head.height } : { height: head.height, at: head.time }
      }).pipe(Effect.mapError(unread)),
    { none }
  )

/** Reads of the newest block of each source, also of one that does not follow the network, for `wallet-data check`. */
export const headsOf = <S extends FaultSource>(
  sources: ReadonlyArray<S & { readonly host?: string }>,
  read: (source: S) => Effect.Effect<Head, UpstreamError>,
  chain?: number
): ReadonlyArray<SourceHead> =>
  sources.map((source) => ({
    // Read when it is needed: a fault is counted.
    get upstream() {
      return source.fault(noHeight).upstream
    },
    ...(source.host === undefined ? {} : { host: source.host }),
    ...(chain === undefined ? {} : { chain }),
    read: Effect.map(read(source), ({ height, time }) => ({ height, at: time }))
  }))

/** Seconds that a block may be ahead of the clock; Bitcoin nodes accept the same. */
export const maxAhead = 7_200

/** Upper bound for the time of a block. */
export const maxTimeOf = (facts: Genesis, clock: Millis): Seconds =>
  isBeforeGenesis(facts, clock) ? seconds(Number.MAX_SAFE_INTEGER) : shift(toSeconds(clock), maxAhead)

/** Whether a time is possible on a network. */
export const isPossibleTime = (facts: Genesis, timestamp: Seconds, clock: Millis): boolean =>
  isBeforeGenesis(facts, clock) ||
  (timestamp >= (facts.genesisTime ?? seconds(0)) && timestamp <= maxTimeOf(facts, clock))

const notCurrent = { reason: "bad_answer", kind: "not_current" } as const
const behind: Fault = { ...notCurrent, detail: "the node is behind the network" }
const ahead: Fault = { ...notCurrent, detail: "the node returned a block from the future" }
const noHeight: Fault = { reason: "bad_answer", detail: "returned a height that the network does not have" }

/** Whether a source was rejected for its newest block, whatever was requested. */
export const isNotCurrent = ({ kind }: Pick<Fault, "kind">): boolean => kind === "not_current"
