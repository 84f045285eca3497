import * as Effect from "effect/Effect"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming, unread } from "../kit/holdings/tokenList.ts"
import type { TronProvider } from "./Provider.ts"
import type { TronTokens } from "./tokens.ts"
import { isTrade, tradeProceeds } from "./toTransaction.ts"

/** Looks up transactions at TronGrid or the operator's node, as their owners see them. */
export const findTransaction = (trongrid: TronProvider, { confirm, list }: TronTokens) =>
  confirming(found(trongrid), list, confirm)

const found =
  (trongrid: TronProvider) =>
  (id: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.gen(function* () {
      const found = yield* trongrid.transaction(id)
      if (found === undefined) return { transaction: undefined, sources: [], gaps: [] }
      const { isWhole, transaction } = found
      const gaps = [
        ...(isWhole ? [] : [gap("transfers", "some transfers could not be read")]),
        ...(isTrade(transaction) ? [tradeProceeds] : [])
      ]
      return { transaction, sources: [trongrid.name], gaps }
    }).pipe(Effect.mapError(unread), span("Tron.transaction"))
