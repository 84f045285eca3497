import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { distance, height, numberOf, type Slot } from "../../domain/units.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { reader } from "../statuses/readStatuses.ts"
import { decoded } from "./Holdings.ts"
import { decodeTransaction, transactionOf } from "./Transactions.ts"
import * as TransactionWire from "./TransactionWire.ts"

// getSignatureStatuses and getTransaction (solana.com/docs/rpc/http).

const SignatureStatus = Schema.Struct({
  slot: TransactionWire.NodeSlot,
  /** Null if it succeeded. */
  err: Schema.Unknown,
  confirmationStatus: Schema.Literal("processed", "confirmed", "finalized")
})
type SignatureStatus = typeof SignatureStatus.Type

const SignatureStatuses = Schema.Struct({
  context: Schema.Struct({ slot: TransactionWire.NodeSlot }),
  value: Schema.Array(Schema.NullOr(SignatureStatus))
})

/** The first signature of a transaction: 64 bytes in base58. */
const parseSignature = (text: string): Either.Either<string, string> =>
  /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58.decode(text).length === 64
    ? Either.right(text)
    : Either.left("the signature of a transaction has 64 bytes in base58")

/** Statuses at the nodes. Fees and times come from the transactions, of which `perRequest` are requested together. */
export const make = (nodes: Upstream, perRequest: number) =>
  Effect.map(
    reader("Solana.statuses", {
      sources: nodes.addresses,
      read: (node, signatures) => atNode(node, signatures, perRequest),
      perRead: 256
    }),
    (read): Statuses => ({ hash: parseSignature, read })
  )

const atNode = (node: Endpoint, signatures: ReadonlyArray<string>, perRequest: number) =>
  Effect.gen(function* () {
    const [outcome] = yield* callAll(node, [
      { method: "getSignatureStatuses", params: [signatures, { searchTransactionHistory: true }] }
    ])
    const { context, value } = yield* Either.mapLeft(decoded(SignatureStatuses, outcome), node.fault)
    if (value.length !== signatures.length) return yield* node.fault(incomplete)
    const included = signatures.filter((_, index) => isConfirmed(value[index]))
    const details = yield* detailsOf(node, Arr.chunksOf(included, perRequest))
    return signatures.map((signature, index) =>
      Either.mapLeft(statusOf(value[index] ?? undefined, context.slot, details.get(signature)), node.fault)
    )
  })

const isConfirmed = (status: SignatureStatus | null | undefined) =>
  status?.confirmationStatus === "confirmed" || status?.confirmationStatus === "finalized"

/** The transactions of these signatures. Cannot fail: those that were not returned are absent. */
const detailsOf = (node: Endpoint, chunks: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.map(
    each(
      chunks,
      (chunk) =>
        Effect.match(callAll(node, chunk.map(transactionOf), { exact: true }), {
          onFailure: () => [],
          onSuccess: (outcomes) =>
            Arr.zip(chunk, outcomes).flatMap(([signature, outcome]) =>
              Option.toArray(Option.map(decodeTransaction(signature, outcome), (found) => [signature, found] as const))
            )
        }),
      4
    ),
    (all) => new Map(all.flat())
  )

/** A processed transaction may still be dropped: it counts as pending. */
const statusOf = (
  found: SignatureStatus | undefined,
  newest: Slot,
  transaction: TransactionWire.SolanaTransaction | undefined
): Either.Either<TransactionStatus, Fault> => {
  if (found === undefined) return Either.right({ status: "not_found" })
  const { confirmationStatus, err, slot } = found
  if (confirmationStatus === "processed") return Either.right({ status: "pending", confirmations: 0 })
  const isFailed = err !== null && err !== undefined
  const hasFailed = transaction?.meta.err !== null && transaction?.meta.err !== undefined
  if (slot > newest || (transaction !== undefined && hasFailed !== isFailed)) return Either.left(contradictory)
  return Either.right({
    status: isFailed ? "failed" : "confirmed",
    confirmations: distance(slot, newest) + 1,
    block: height(numberOf(slot)),
    ...(transaction?.blockTime == null ? {} : { at: transaction.blockTime }),
    ...(transaction === undefined ? {} : { fee: BigInt(transaction.meta.fee) }),
    final: confirmationStatus === "finalized"
  })
}

const incomplete: Fault = { reason: "bad_answer", detail: "did not return a status for each signature" }
const contradictory: Fault = { reason: "bad_answer", detail: "returned contradictory data about a transaction" }
