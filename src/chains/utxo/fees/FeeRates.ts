import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { type LevelName, levelNames } from "../../../domain/fees/Fees.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { feesTooHigh } from "../../kit/fees/comparedFees.ts"
import { ceilDiv, eachLevel } from "../../kit/fees/feeLevels.ts"
import type { FeeEstimator, FeeRates } from "../Provider.ts"

/** Confirmation targets by level, in blocks, as requested from upstreams. */
export const targets: Readonly<Record<LevelName, number>> = { slow: 24, standard: 6, fast: 2 }

/** The rank of the operator's node. */
export const ownRank = 0

/** How a kind of upstream estimates fees. */
export interface FeeCalls {
  /** The source with the lowest rank is used first. */
  readonly rank: number
  readonly read: (address: Endpoint) => Effect.Effect<FeeRates, UpstreamError>
}

/** Virtual bytes of a transfer with one input and two outputs: P2WPKH (BIP-141), or P2PKH with a full signature. */
export const transferSize = ({ transactions }: Pick<UtxoFacts, "transactions">) => (transactions.witness ? 141 : 226)

export const make = (facts: UtxoFacts, upstream: Upstream, { rank, read }: FeeCalls): FeeEstimator => ({
  name: upstream.name,
  fault: upstream.fault,
  standing: upstream.standing,
  rank,
  rates: upstream.over((address) =>
    Effect.filterOrFail(
      Effect.filterOrFail(
        Effect.map(read(address), (rates) => payable(facts, rates)),
        (rates) => levelNames.some((name) => rates[name] !== undefined),
        () => address.fault({ reason: "upstream_error", detail: "has no estimate of fees at the moment" })
      ),
      (rates) => levelNames.every((name) => transferFee(facts, rates[name] ?? 0n) <= facts.maxTransferFee),
      () => address.fault(feesTooHigh)
    )
  )
})

/**
 * Raises each rate to at least what nodes relay, and those of slower levels: separate estimates may contradict each
 * other.
 */
const payable = ({ mempool: { least } }: UtxoFacts, { fast, slow, standard }: FeeRates): FeeRates => {
  const most = (rate: bigint | undefined, ...others: ReadonlyArray<bigint | undefined>) =>
    rate && others.reduce((highest: bigint, other) => (other !== undefined && other > highest ? other : highest), rate)
  return {
    slow: most(slow, least),
    standard: most(standard, slow, least),
    fast: most(fast, standard, slow, least)
  }
}

/** The cost of a transfer at this rate, base units. */
export const transferFee = (facts: Pick<UtxoFacts, "transactions">, rate: bigint): bigint =>
  ceilDiv(rate * BigInt(transferSize(facts)), 1000n)

/** The rate if it is positive, else undefined: nodes return -1 or zero if they have no estimate. */
export const plausible = (rate: bigint): bigint | undefined => (rate > 0n ? rate : undefined)

/** Converts coins per 1,000 virtual bytes to base units; coins have eight decimals. */
export const ofCoins = (coins: number): bigint | undefined =>
  Number.isFinite(coins) ? plausible(BigInt(Math.round(coins * 1e8))) : undefined

/** Reads the rate of each level; undefined for a level that fails. Fails if all levels fail. */
export const eachTarget = (
  read: (blocks: number) => Effect.Effect<bigint | undefined, UpstreamError>
): Effect.Effect<FeeRates, UpstreamError> =>
  Effect.gen(function* () {
    const results = yield* Effect.all(
      eachLevel((name) => Effect.either(read(targets[name]))),
      { concurrency: 3 }
    )
    const { standard } = results
    if (Either.isLeft(standard) && Object.values(results).every(Either.isLeft)) return yield* standard.left
    return eachLevel((name) => Either.getOrUndefined(results[name]))
  })
