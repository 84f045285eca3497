import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../../catalogue/NetworkFacts.ts"
import { type Fees, levelNames } from "../../../domain/fees/Fees.ts"
import { timeoutOption } from "../../../kernel/timeout.ts"
import * as Sources from "../../../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"

/** Reads fees from a source that is not in `used`, and adds the source to it. */
type ReadFees = (used: Set<unknown>) => Effect.Effect<Fees, UpstreamError | ReadFailure>

/** Two sources whose fees differ by more than this factor cannot both be right. */
const maxRatio = 10n

/** Maximum wait for a second source within a request. */
const maxWait = "2 seconds"

const costOf = (fees: Fees): bigint | undefined => {
  const { transferFeeBaseUnits } = fees.levels.standard
  return transferFeeBaseUnits === null ? undefined : BigInt(transferFeeBaseUnits)
}

/** Whether two readings differ by at most {@link maxRatio}; true if one of them has no fee to compare. */
const isNear = (fees: Fees, other: Fees): boolean => {
  const [cost, otherCost] = [costOf(fees), costOf(other)]
  if (cost === undefined || otherCost === undefined) return true
  return cost <= otherCost * maxRatio && otherCost <= cost * maxRatio
}

/**
 * Returns the fees of the first source. The first reading, and any reading that differs from the previous one by more
 * than ten times, is compared with a second source, if available. If the two contradict each other, the reading near
 * the previous one is used; without such a reading, or if the second source is too slow to confirm a difference, it fails.
 */
const compared = (read: ReadFees): Effect.Effect<Fees, ReadFailure> => {
  let last: Fees | undefined
  return Effect.gen(function* () {
    const used = new Set<unknown>()
    const found = yield* read(used)
    const before = last
    if (before === undefined || !isNear(found, before)) {
      const answer = yield* timeoutOption(Effect.option(read(used)), maxWait)
      if (before !== undefined && Option.isNone(answer)) return yield* Effect.fail(uncompared)
      const second = Option.flatten(answer)
      if (Option.isSome(second) && !isNear(found, second.value)) {
        if (before === undefined || !isNear(second.value, before)) return yield* Effect.fail(contradiction)
        last = second.value
        return last
      }
    }
    last = found
    return found
  }).pipe(Effect.mapError(unread))
}

/** Passes fees on if no level exceeds `maxTransferFee`; else fails with an error of the source. */
const requirePlausible = (
  { maxTransferFee }: Pick<NetworkFacts, "maxTransferFee">,
  fees: Fees,
  fault: (fault: Fault) => UpstreamError
): Effect.Effect<Fees, UpstreamError> =>
  levelNames.every((name) => BigInt(fees.levels[name].transferFeeBaseUnits ?? 0) <= maxTransferFee)
    ? Effect.succeed(fees)
    : Effect.fail(fault(feesTooHigh))

/** Fees from the first node that returns plausible and complete fees, compared with a second node. */
export const ofNodes = (
  facts: Pick<NetworkFacts, "maxTransferFee">,
  nodes: Upstream,
  read: (node: Endpoint) => Effect.Effect<Fees, UpstreamError>,
  isWhole?: (fees: Fees) => boolean
): Effect.Effect<Fees, ReadFailure> =>
  compared((used) =>
    nodes.over(
      (node) =>
        read(node).pipe(
          Effect.flatMap((fees) => requirePlausible(facts, fees, node.fault)),
          Effect.tap(() => Effect.sync(() => used.add(node)))
        ),
      { isWhole, except: new Set(used) }
    )
  )

interface OfSourcesOptions<S> extends Sources.FirstOfOptions<Fees, UpstreamError | ReadFailure> {
  /** Whether a source is the operator's own; its fees are not compared with other sources. */
  readonly isOwn?: (source: S) => boolean
}

/** As {@link ofNodes}, for sources. */
export const ofSources = <S extends Sources.Source & Pick<Upstream, "fault">>(
  facts: Pick<NetworkFacts, "maxTransferFee">,
  sources: ReadonlyArray<S>,
  read: (source: S) => Effect.Effect<Fees, UpstreamError>,
  { isOwn = () => false, ...options }: OfSourcesOptions<S>
): Effect.Effect<Fees, ReadFailure> =>
  compared((used) =>
    Sources.firstOf<S, Fees, UpstreamError | ReadFailure>(
      sources.filter((source) => !used.has(source)),
      (source) =>
        read(source).pipe(
          Effect.flatMap((fees) => requirePlausible(facts, fees, source.fault)),
          Effect.tap(() =>
            Effect.sync(() => {
              for (const read of isOwn(source) ? sources : [source]) used.add(read)
            })
          )
        ),
      options
    )
  )

export const feesTooHigh: Fault = { reason: "bad_answer", detail: "returned fees above what the network ever charges" }
const uncompared: ReadFailure = {
  reason: "timeout",
  message: "fees differ by more than ten times from the last, and the second source did not respond in time"
}
const contradiction: ReadFailure = {
  reason: "bad_answer",
  message: "two sources return fees that differ by more than ten times"
}
