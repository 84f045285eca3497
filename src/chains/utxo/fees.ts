import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { blockTimeOf } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as Amount from "../../domain/Amount.ts"
import { type Fees, type FeesOf, levelNames } from "../../domain/fees/Fees.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import { span } from "../../kernel/span.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { ofSources } from "../kit/fees/comparedFees.ts"
import { eachLevel, type LevelReading, lifetimeOf, secondsOf, toLevel } from "../kit/fees/feeLevels.ts"
import { ownRank, targets, transferFee, transferSize } from "./fees/FeeRates.ts"
import type { FeeEstimator, FeeRates } from "./Provider.ts"

export const noEstimator = ({ id, name }: UtxoFacts): ReadFailure => {
  const prefix = variablePrefix(id)
  return {
    reason: "not_configured",
    message: `no fee source is configured for ${name}: set ${prefix}_RPC_URLS, ${prefix}_BLOCKBOOK_URLS or ${prefix}_ESPLORA_URLS`
  }
}

/** The number of levels with a rate. */
const countOf = ({ levels }: Fees) => levelNames.filter((name) => levels[name].transferFeeBaseUnits !== null).length

/** Fees of a network of the Bitcoin family, from the first source that estimates all levels, else the most levels. */
export const fees = (facts: UtxoFacts, estimators: ReadonlyArray<FeeEstimator>): FeeSource => ({
  lifetime: lifetimeOf(blockTimeOf(facts)),
  current: ofSources(facts, estimators, ({ rates }) => Effect.map(rates, (found) => toFees(facts, found)), {
    none: noEstimator(facts),
    isOwn: ({ rank }) => rank === ownRank,
    isWhole: (found) => countOf(found) === levelNames.length,
    isBetter: (found, best) => countOf(found) > countOf(best)
  }).pipe(span("Utxo.fees", { attributes: { network: facts.id } }))
})

const toFees = (facts: UtxoFacts, rates: FeeRates): FeesOf<"utxo"> => {
  const size = transferSize(facts)
  return {
    family: "utxo",
    levels: eachLevel((name) =>
      toLevel(
        "utxo",
        Either.map(
          Either.fromNullable(rates[name], () => noEstimate(targets[name])),
          (rate): LevelReading<"utxo"> => ({
            rates: { satPerVbyte: Amount.format(rate, 3) },
            transfer: Either.right(transferFee(facts, rate))
          })
        ),
        secondsOf(targets[name], facts)
      )
    ),
    basis: { transferVbytes: size },
    transfer: `a transfer with one input and two outputs, ${size} ${facts.transactions.witness ? "virtual bytes (P2WPKH)" : "bytes (P2PKH)"}`
  }
}

const noEstimate = (blocks: number): ReadFailure => ({
  reason: "upstream_error",
  message: `no source has an estimate for ${blocks} blocks`
})
