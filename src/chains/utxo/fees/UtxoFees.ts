import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { blockTimeOf } from "../../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import * as Amount from "../../../domain/Amount.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import { span } from "../../../kernel/span.ts"
import type { FeeSource, Unread } from "../../Chain.ts"
import { ceilDiv, eachLevel, type LevelReading, lifetimeOf, secondsOf, toLevel } from "../../feeLevels.ts"
import { unread } from "../../tokenList.ts"
import { type FeeEstimator, firstRates, targets } from "./FeeRates.ts"

/** One input and two outputs: of witness programs with key hashes (BIP-141), or of key hashes with a full signature. */
const sizes = { witness: 141, legacy: 226 }

/** The estimators of a network, the operator's own node first. */
export const inPreference = (estimators: ReadonlyArray<FeeEstimator>): ReadonlyArray<FeeEstimator> =>
  estimators.toSorted((estimator, other) => estimator.rank - other.rank)

export const notConfigured = ({ id, name }: UtxoFacts): Unread => {
  const prefix = variablePrefix(id)
  return {
    reason: "not_configured",
    message: `no source of fees is configured for ${name}: set ${prefix}_RPC_URLS, ${prefix}_BLOCKBOOK_URLS or ${prefix}_ESPLORA_URLS`
  }
}

/** Rates of a network of the Bitcoin family, from the first source that estimates all levels. */
export const make = (facts: UtxoFacts, estimators: ReadonlyArray<FeeEstimator>): FeeSource => {
  const size = facts.transactions.witness ? sizes.witness : sizes.legacy
  const blockTime = blockTimeOf(facts)
  return {
    lifetime: lifetimeOf(blockTime),
    current: firstRates(estimators, notConfigured(facts)).pipe(
      Effect.map((rates) => ({
        family: "utxo" as const,
        levels: eachLevel((name) => {
          const rate = rates[name]
          const reading = Either.fromNullable(rate, () => noEstimate(targets[name]))
          return toLevel(
            "utxo",
            Either.map(
              reading,
              (known): LevelReading<"utxo"> => ({
                rates: { satPerVbyte: Amount.format(known, 3) },
                transfer: Either.right(ceilDiv(known * BigInt(size), 1000n))
              })
            ),
            secondsOf(targets[name], blockTime)
          )
        }),
        basis: { transferVbytes: size },
        transfer: `a transfer with one input and two outputs, ${size} ${facts.transactions.witness ? "virtual bytes (P2WPKH)" : "bytes (P2PKH)"}`
      })),
      Effect.mapError(unread),
      span("Utxo.fees", { attributes: { network: facts.id } })
    )
  }
}

const noEstimate = (blocks: number): Unread => ({
  reason: "upstream_error",
  message: `no source has an estimate for ${blocks} blocks`
})
