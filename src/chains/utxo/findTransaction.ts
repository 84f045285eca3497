import * as Effect from "effect/Effect"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { now, numberOf, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import type { StatusSource } from "./Provider.ts"
import { partyNames, spendsOnce, toTransaction, type UtxoTransaction } from "./toTransaction.ts"

/** Looks up transactions at indexers. `none` is the failure without an indexer. */
export const findTransaction = (facts: UtxoFacts, sources: ReadonlyArray<StatusSource>, none: ReadFailure) => {
  const at = (source: StatusSource, hash: string) =>
    Effect.flatMap(source.transaction(hash), (found) => {
      if (found === undefined) return Effect.succeed(undefined)
      return found.hash === hash && found.isContradictory !== true && spendsOnce(found)
        ? Effect.succeed({ found, name: source.name })
        : Effect.fail(source.fault(otherTransaction))
    })
  const shown = (seen: UtxoTransaction, name: string): Effect.Effect<FoundTransaction> =>
    Effect.map(now, (clock) => {
      const party = partyNames(facts)
      const [payer = seen.outputs[0]] = seen.inputs
      const order = seen.block === undefined ? Number.MAX_SAFE_INTEGER : numberOf(seen.block)
      return {
        transaction: toTransaction(party(payer?.address), party, toSeconds(clock))(seen, order),
        sources: [name],
        gaps: []
      }
    })
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findAt(sources, (source) => at(source, hash), none).pipe(
      Effect.flatMap((found) =>
        found === undefined
          ? Effect.succeed({ transaction: undefined, sources: [], gaps: [] })
          : shown(found.found, found.name)
      ),
      span("Utxo.transaction", { attributes: { network: facts.id } })
    )
}
