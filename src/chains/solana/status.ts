import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { distance, height, now, numberOf, type Slot, seconds, shift, toSeconds } from "../../domain/units.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { decoded, notUnderstood } from "./accounts.ts"
import { clockAt, headIn } from "./context.ts"
import { decodeTransaction, transactionOf } from "./foundTransactions.ts"
import { commitment } from "./programs.ts"
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
  value: Schema.Array(Schema.Unknown)
})

/** Each status is decoded alone: one that cannot be read costs the others nothing. Null for an unknown signature. */
const decodeStatus = Schema.decodeUnknownEither(Schema.NullOr(SignatureStatus))

/** The first signature of a transaction: 64 bytes in base58. */
const parseSignature = (text: string): Either.Either<string, string> =>
  /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58.decode(text).length === 64
    ? Either.right(text)
    : Either.left("the signature of a transaction has 64 bytes in base58")

/**
 * Statuses at the nodes. The notes of a transaction are its block hash and the second at which it was sent. Fees and
 * times come from the transactions, of which `perRequest` are requested together.
 */
export const statuses = (nodes: Upstream, perRequest: number) =>
  Effect.map(
    PendingMemory.reader(solana.id, {
      sources: nodes.addresses,
      read: atNode(nodes, perRequest),
      perRead: 256
    }),
    (read): Statuses => ({ hash: parseSignature, read })
  )

const atNode =
  (nodes: Upstream, perRequest: number) =>
  (node: Endpoint, signatures: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
    Effect.gen(function* () {
      const [outcome, sysvar] = yield* callAll(node, [
        { method: "getSignatureStatuses", params: [signatures, { searchTransactionHistory: true }] },
        clockAt(commitment)
      ])
      yield* requireCurrent(node, solana, (yield* headIn(node, sysvar)).time)
      const { context, value } = yield* Either.mapLeft(decoded(SignatureStatuses, outcome), node.fault)
      if (value.length !== signatures.length) return yield* node.fault(incomplete)
      const found = value.map((status) => Either.mapLeft(decodeStatus(status), () => node.fault(notUnderstood)))
      const statusAt = (index: number) => Option.getOrUndefined(Option.flatMap(Arr.get(found, index), Either.getRight))
      const included = signatures.filter((_, index) => isConfirmed(statusAt(index)))
      const details = yield* detailsOfAny(nodes, node, included, perRequest)
      const over = yield* expiredOf(
        node,
        signatures.filter((_, index) => statusAt(index) === null),
        notes,
        context.slot
      )
      return signatures.map((signature, index) =>
        over.has(signature)
          ? Either.right<TransactionStatus>({ status: "expired" })
          : details.has(signature) && details.get(signature) === undefined
            ? Either.left(node.fault(unreadable))
            : Either.flatMap(found[index] ?? Either.left(node.fault(incomplete)), (status) =>
                Either.mapLeft(statusOf(status ?? undefined, context.slot, details.get(signature)), node.fault)
              )
      )
    })

/** No block hash expires earlier after its block, seconds: it is valid for 150 blocks. */
const shortestValidity = 45

/** Nodes' clocks may differ from that of the network, seconds. */
const clockTolerance = 30

const Validity = Schema.Struct({
  context: Schema.Struct({ slot: TransactionWire.NodeSlot }),
  value: Schema.Boolean
})

/**
 * The signatures whose block hash is not valid any more in the newest finalized block. That block must be later than the
 * sending: an earlier one may not have the block hash yet. It must not be later than the slot at which they were absent:
 * requests of one address may reach nodes that lag.
 */
const expiredOf = (node: Endpoint, absent: ReadonlyArray<string>, notes: PendingMemory.Notes, absentAt: Slot) =>
  Effect.gen(function* () {
    const clock = toSeconds(yield* now)
    const old = absent.flatMap((signature) => {
      const [blockhash = "", at = ""] = notes.get(signature) ?? []
      const sentAt = seconds(/^\d{1,12}$/.test(at) ? Number(at) : Number.NaN)
      return shift(sentAt, shortestValidity) < clock ? [{ signature, blockhash, sentAt }] : []
    })
    if (old.length === 0) return new Set<string>()
    const [sysvar, ...validities] = yield* callAll(node, [
      clockAt("finalized"),
      ...old.map(({ blockhash }) => ({ method: "isBlockhashValid", params: [blockhash, { commitment: "finalized" }] }))
    ])
    const finalized = yield* headIn(node, sysvar)
    return new Set(
      old.flatMap(({ sentAt, signature }, index) => {
        const validity = decoded(Validity, validities[index])
        const isOver = Either.isRight(validity) && !validity.right.value && validity.right.context.slot <= absentAt
        return isOver && shift(sentAt, clockTolerance) < finalized.time ? [signature] : []
      })
    )
  })

const isConfirmed = (status: SignatureStatus | null | undefined) =>
  status?.confirmationStatus === "confirmed" || status?.confirmationStatus === "finalized"

/** As {@link detailsOf}, from the other nodes if this one does not return all. */
const detailsOfAny = (nodes: Upstream, node: Endpoint, signatures: ReadonlyArray<string>, perRequest: number) =>
  Effect.gen(function* () {
    const found = yield* detailsOf(node, Arr.chunksOf(signatures, perRequest))
    const open = signatures.filter((signature) => found.get(signature) === undefined)
    if (open.length === 0 || nodes.addresses.length < 2) return found
    const others = yield* nodes
      .over((other) => detailsOf(other, Arr.chunksOf(open, perRequest)), {
        except: new Set([node]),
        isWhole: (read) => open.every((signature) => read.get(signature) !== undefined)
      })
      .pipe(Effect.orElseSucceed(() => new Map()))
    return new Map([...found, ...[...others].filter(([, transaction]) => transaction !== undefined)])
  })

/** The transactions of these signatures. Cannot fail: those that were not returned are absent, unreadable ones undefined. */
const detailsOf = (node: Endpoint, chunks: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.map(
    each(
      chunks,
      (chunk) =>
        Effect.match(callAll(node, chunk.map(transactionOf), { exact: true, perCall: true }), {
          onFailure: () => [],
          onSuccess: (outcomes) =>
            Arr.zip(chunk, outcomes).flatMap(([signature, outcome]) =>
              Either.getOrElse(outcome, () => null) === null
                ? []
                : [[signature, Option.getOrUndefined(decodeTransaction(signature, outcome))] as const]
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
const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction in an unexpected format" }
const contradictory: Fault = { reason: "bad_answer", detail: "returned contradictory data about a transaction" }
