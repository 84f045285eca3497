import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../catalogue/NetworkFacts.ts"
import { type Fees, levelNames } from "../domain/fees/Fees.ts"
import { timeoutOption } from "../kernel/timeout.ts"
import * as Sources from "../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import type { Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/** Reads fees from a source that is not among these, and adds it to them. */
type ReadFees = (used: Set<unknown>) => Effect.Effect<Fees, UpstreamError | Unread>

/** Two sources whose fees differ by more than this factor cannot both be right. */
const maxRatio = 10n

/** The fees of a request do not wait longer for a second source. */
const maxWait = "2 seconds"

const costOf = (fees: Fees): bigint | undefined => {
  const { transferFeeBaseUnits } = fees.levels.standard
  return transferFeeBaseUnits === null ? undefined : BigInt(transferFeeBaseUnits)
}

/** Whether two readings are of the same magnitude; also where one has no fee to compare. */
const isNear = (fees: Fees, other: Fees): boolean => {
  const [cost, otherCost] = [costOf(fees), costOf(other)]
  if (cost === undefined || otherCost === undefined) return true
  return cost <= otherCost * maxRatio && otherCost <= cost * maxRatio
}

/**
 * The fees of the first source. The first reading, and one that differs from the reading before it by more than ten times,
 * is compared with that of a second source, if there is one: if they contradict each other, the one near the reading
 * before is right, else neither is used.
 */
const compared = (read: ReadFees): Effect.Effect<Fees, Unread> => {
  let last: Fees | undefined
  return Effect.gen(function* () {
    const used = new Set<unknown>()
    const found = yield* read(used)
    const before = last
    if (before === undefined || !isNear(found, before)) {
      const second = Option.flatten(yield* timeoutOption(Effect.option(read(used)), maxWait))
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

/** Fees of which no level costs more than the network's transfers ever do; the source of others has this fault. */
const affordable = (
  { maxTransferFee }: Pick<NetworkFacts, "maxTransferFee">,
  fees: Fees,
  fault: (fault: Fault) => UpstreamError
): Effect.Effect<Fees, UpstreamError> =>
  levelNames.every((name) => BigInt(fees.levels[name].transferFeeBaseUnits ?? 0) <= maxTransferFee)
    ? Effect.succeed(fees)
    : Effect.fail(fault(tooDear))

/** Fees from the first node that has plausible and whole ones, compared with those of a second node. */
export const ofNodes = (
  facts: Pick<NetworkFacts, "maxTransferFee">,
  nodes: Upstream,
  read: (node: Endpoint) => Effect.Effect<Fees, UpstreamError>,
  isWhole?: (fees: Fees) => boolean
): Effect.Effect<Fees, Unread> =>
  compared((used) =>
    nodes.over(
      (node) =>
        read(node).pipe(
          Effect.flatMap((fees) => affordable(facts, fees, node.fault)),
          Effect.tap(() => Effect.sync(() => used.add(node)))
        ),
      { isWhole, except: new Set(used) }
    )
  )

interface OfSourcesOptions<S> extends Sources.FirstOfOptions<Fees, UpstreamError | Unread> {
  /** Whether a source is the operator's own, which is compared with no other. */
  readonly isOwn?: (source: S) => boolean
}

/** The same from sources; `read` makes errors of its source with `fault`. */
export const ofSources = <S extends Sources.Source & { readonly name: string }>(
  facts: Pick<NetworkFacts, "maxTransferFee">,
  sources: ReadonlyArray<S>,
  read: (source: S, fault: (fault: Fault) => UpstreamError) => Effect.Effect<Fees, UpstreamError>,
  { isOwn = () => false, ...options }: OfSourcesOptions<S>
): Effect.Effect<Fees, Unread> =>
  compared((used) =>
    Sources.firstOf<S, Fees, UpstreamError | Unread>(
      sources.filter((source) => !used.has(source)),
      (source) => {
        const fault = (found: Fault) => new UpstreamError({ upstream: source.name, ...found })
        return read(source, fault).pipe(
          Effect.flatMap((fees) => affordable(facts, fees, fault)),
          Effect.tap(() =>
            Effect.sync(() => {
              for (const read of isOwn(source) ? sources : [source]) used.add(read)
            })
          )
        )
      },
      options
    )
  )

export const tooDear: Fault = { reason: "bad_answer", detail: "returned fees above what the network ever charges" }
const contradiction: Unread = {
  reason: "bad_answer",
  message: "two sources return fees that differ by more than ten times"
}
