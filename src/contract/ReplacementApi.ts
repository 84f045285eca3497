import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { enumOf, text } from "../domain/fields.ts"
import { Replacement } from "../domain/Replacement.ts"
import { transactionStates } from "../domain/Transaction.ts"
import { BodyProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { described, HasSideEffect, inRequest } from "./wire.ts"

const hash = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"

export const ReplacementRequest = Schema.Struct({
  network: text("Id or alias of the network.", "ethereum"),
  hash: text("Hash of the pending transaction.", hash)
}).annotations({ ...inRequest, identifier: "ReplacementRequest", description: "A pending transaction." })
export type ReplacementRequest = typeof ReplacementRequest.Type

export const TransactionReplacement = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  hash: text("Hash of the transaction in the format of histories.", hash),
  status: enumOf(
    "Status of the transaction, as POST /transactions/status returns it. Only a pending transaction can be replaced.",
    transactionStates
  ),
  ...Replacement.fields
}).annotations({
  identifier: "TransactionReplacement",
  description: "What a transaction must pay to speed up or to cancel a pending transaction.",
  examples: [
    {
      network: "ethereum",
      hash,
      status: "confirmed",
      kind: null,
      minimum: null,
      transfer: null,
      reason: "it is in a block already"
    }
  ]
})
export type TransactionReplacement = typeof TransactionReplacement.Type

/** What a transaction pays that replaces or cancels a pending one. */
export const replacement = HttpApiEndpoint.post("replacement", "/transactions/replacement")
  .annotate(HasSideEffect, false)
  .setPayload(ReplacementRequest)
  .addSuccess(TransactionReplacement)
  .addError(BodyProblems)
  .addError(UpstreamFailed.schema)
  .addError(NotImplemented.schema)
  .annotateContext(
    described(
      "Minimum price of a replacement",
      "Returns the lowest prices with which a transaction can replace a pending transaction, in the fee fields of GET /utils/fees, and the fee of cancelling it by a transfer to oneself. EVM networks: the same nonce, and the prices of the pending transaction plus 10 %, or plus 100 % if it has blobs. Bitcoin family, by the default settings of the network's nodes: if they replace the transaction, the fees of it and of its descendants, plus the increment for its own size, at a higher rate (`replace`). Otherwise, the fee of a child with which both pay the standard rate (`child`); `kind` is null if miners do not count that fee. Nodes accept the minimum, but a block includes the replacement soon only if it also pays the current fees: use the higher of both. A transaction that is not pending has `kind`, `minimum` and `transfer` null, with `reason`. If its status could not be read, the response is 502, never `not_found`. A network without this feature is 400."
    )
  )
