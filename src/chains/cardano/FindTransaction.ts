import * as Effect from "effect/Effect"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { findTransaction } from "../findFirst.ts"
import { isSound, toTransaction } from "./history.ts"
import { type CardanoSource, notUnderstood } from "./Source.ts"

/** Looks up transactions, as the owner of their first input sees them. */
export const make =
  (sources: ReadonlyArray<CardanoSource>) =>
  (id: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findTransaction(sources, (source) =>
      Effect.flatMap(source.transaction(id), (found) => {
        if (found === undefined) return Effect.succeed(undefined)
        if (found.hash !== id || (found.valid && !isSound(found))) return Effect.fail(source.fault(notUnderstood))
        const [payer = found.outputs[0]] = found.inputs
        return Effect.succeed({ transaction: toTransaction(payer?.address ?? "", found), name: source.name })
      })
    ).pipe(
      Effect.map((found) => ({
        transaction: found?.transaction,
        sources: found === undefined ? [] : [found.name],
        gaps: []
      })),
      span("Cardano.transaction")
    )
