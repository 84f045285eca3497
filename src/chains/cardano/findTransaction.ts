import * as Effect from "effect/Effect"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import type { CardanoAssets } from "./assets.ts"
import { byCalls } from "./history.ts"
import { isSound, toTransaction } from "./ledger.ts"
import { type CardanoProvider, notUnderstood } from "./Provider.ts"

/** Looks up transactions, as the owner of their first input sees them; waits for decimals at most for `maxWait` (ms). */
export const findTransaction = (sources: ReadonlyArray<CardanoProvider>, assets: CardanoAssets, maxWait: number) =>
  confirming(found(byCalls(sources)), assets.list, assets.confirmWithin(maxWait))

const found =
  (sources: ReadonlyArray<CardanoProvider>) =>
  (id: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findAt(sources, (source) =>
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
