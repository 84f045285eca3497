import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as BlockTimes from "../../../catalogue/BlockTimes.ts"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import {
  distance,
  greatest,
  type Height,
  height,
  least,
  now,
  type Seconds,
  shift,
  toSeconds
} from "../../../domain/units.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { headCheck, toleranceOf } from "../../currentHead.ts"
import { currentBlock, newestBlockCalls } from "../newestBlock.ts"
import { type Explorer, newestHeight } from "./Explorers.ts"
import { type Kind, kinds } from "./ExplorerWire.ts"

// Checks that the index of an explorer is not behind. `confirmations` of a row count the blocks that the index has since
// the row's block; the time of its newest block follows from the newest block of the nodes, without another call. Some
// sources return any confirmations: only the explorer's newest block itself shows that it is behind.

const digits = Schema.compose(Schema.String.pipe(Schema.pattern(/^\d{1,10}$/)), Schema.NumberFromString)
const confirmed = Schema.decodeUnknownOption(Schema.Struct({ blockNumber: digits, confirmations: digits }))

/** The newest block of the index that returned these rows; undefined if no row has its confirmations. */
const heightIn = (rows: ReadonlyArray<unknown>): Height | undefined => {
  const heights = rows.flatMap((row) =>
    Option.toArray(Option.map(confirmed(row), ({ blockNumber, confirmations }) => height(blockNumber + confirmations)))
  )
  return heights.length === 0 ? undefined : greatest(...heights)
}

/** How old a block of the nodes may be from which times of other blocks are estimated, seconds. */
const maxAge = 600

/** A block of the nodes. */
const referenceOf = (facts: EvmFacts, nodes: Upstream, clock: Seconds) => {
  const known = BlockTimes.newest(facts)
  if (known !== undefined && Math.abs(distance(known.time, clock)) <= maxAge) return Effect.succeed(known)
  return Effect.map(
    nodes.over((node) =>
      Effect.flatMap(callAll(node, newestBlockCalls), (outcomes) => currentBlock(node, facts, outcomes))
    ),
    ({ number, timestamp }) => ({ height: number, time: timestamp })
  )
}

/** Checks the explorers that return the first pages of the lists of one history. */
export interface FirstPages {
  /** Fails if the index that returned these rows of a list is behind. */
  readonly requireCurrent: (
    explorer: Explorer,
    kind: Kind,
    rows: ReadonlyArray<unknown>
  ) => Effect.Effect<void, UpstreamError>
  /** A list has no further first page to check. */
  readonly ended: (kind: Kind) => Effect.Effect<void>
}

/**
 * Returns the checks of each history of a network. Rows without confirmations, and lists without rows, say nothing: then
 * the other lists decide, or one call. Without the time between blocks nothing is checked.
 */
export const make = (facts: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) =>
  Effect.map(headCheck(facts), (check) => {
    // Some explorers serve several networks.
    const sources = new Map(explorers.map(({ name, upstream }) => [name, { fault: upstream.fault }]))
    const headAt = (index: Height) =>
      Effect.gen(function* () {
        const clock = toSeconds(yield* now)
        const { height, time } = yield* referenceOf(facts, nodes, clock)
        const elapsed = (distance(height, index) * (BlockTimes.current(facts) ?? 0)) / 1000
        const estimated = least(clock, shift(time, Math.round(elapsed)))
        return { height: index, time: estimated, age: distance(estimated, clock) }
      })
    const isRecent = ({ age }: { readonly age: number }) => age <= toleranceOf(facts)
    return Effect.sync((): FirstPages => {
      const open = new Set(kinds)
      const others = Deferred.unsafeMake<void>(FiberId.none)
      const ended = (kind: Kind) => {
        open.delete(kind)
        return open.size === 0 ? Effect.asVoid(Deferred.succeed(others, undefined)) : Effect.void
      }
      return {
        ended: (kind) => Effect.suspend(() => ended(kind)),
        requireCurrent: (explorer, kind, rows) => {
          const source = sources.get(explorer.name)
          if (source === undefined || facts.sunset !== undefined || BlockTimes.current(facts) === undefined)
            return Effect.void
          const read = Effect.flatMap(now, (clock) => newestHeight(explorer, toSeconds(clock)))
          const newest = Effect.flatMap(read, headAt)
          const index = heightIn(rows)
          if (index !== undefined)
            return check(
              source,
              Effect.filterOrElse(headAt(index), isRecent, () => newest)
            )
          return Effect.suspend(() => ended(kind)).pipe(
            Effect.zipRight(Deferred.await(others)),
            Effect.zipRight(check(source, newest))
          )
        }
      }
    })
  })
