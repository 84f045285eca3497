import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { numberOf } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { RawTransactions, ReadSigned, SignedTransaction } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { jsonResponse } from "../kit/sending/nodeResponse.ts"
import { failureOf } from "../kit/sending/outcomes.ts"
import type { TronProvider } from "./Provider.ts"
import { contentOf } from "./signedContent.ts"
import { parse, parseId } from "./TronTransaction.ts"

/** Sends once to TronGrid, or to the operator's node. */
export const signed =
  (trongrid: Pick<TronProvider, "send">): ReadSigned =>
  (text) =>
    Either.map(
      parse(text),
      (transaction): SignedTransaction => ({
        hash: transaction.id,
        content: () => contentOf(transaction),
        expiry: transaction.expiration,
        notes: () => [String(numberOf(transaction.expiration))],
        ambiguous,
        known: jsonResponse("done", { result: true, txid: transaction.id }),
        send: trongrid.send(transaction).pipe(Effect.mapError(failureOf), span("Tron.send"))
      })
    )

/** Looks up a transaction at the same address. */
export const lookup =
  (trongrid: TronProvider): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseId(text), (id) => trongrid.find(id).pipe(Effect.mapError(unread), span("Tron.find")))

/**
 * A node that no longer remembers a transaction checks the expiration, the reference block, and the balance that it left,
 * also of a transaction that is in a block.
 */
const ambiguous = ["expired", "insufficient_funds", "invalid"] as const
