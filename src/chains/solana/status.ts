import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { distance, height, now, numberOf, type Slot, seconds, shift, toSeconds } from "../../domain/units.ts"
import { each } from "../../kernel/each.ts"
import { notUnderstood } from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import type { SolanaProvider } from "./Provider.ts"
import { SignatureStatus, type SolanaTransaction } from "./providers/agave/transactionCalls.ts"

type Status = NonNullable<typeof SignatureStatus.Type>

/** Each status is decoded alone: one that cannot be read costs the others nothing. Null for an unknown signature. */
const decodeStatus = Schema.decodeUnknownEither(SignatureStatus)

/** The first signature of a transaction: 64 bytes in base58. */
const parseSignature = (text: string): Either.Either<string, string> =>
  /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58.decode(text).length === 64
    ? Either.right(text)
    : Either.left("the signature of a transaction has 64 bytes in base58")

/**
 * Statuses at the nodes. The notes of a transaction are its block hash and the second at which it was sent. Fees and
 * times come from the transactions.
 */
export const statuses = (agave: SolanaProvider) =>
  Effect.map(
    PendingMemory.reader(solana.id, {
      sources: agave.nodes.addresses,
      read: atNode(agave),
      perRead: 256
    }),
    (read): Statuses => ({ hash: parseSignature, read })
  )

const atNode =
  (agave: SolanaProvider) => (node: Endpoint, signatures: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
    Effect.gen(function* () {
      const [head, statuses] = yield* agave.statuses(node, signatures)
      yield* requireCurrent(node, solana, head.time)
      const { context, value } = yield* Either.mapLeft(statuses, node.fault)
      if (value.length !== signatures.length) return yield* node.fault(incomplete)
      const found = value.map((status) => Either.mapLeft(decodeStatus(status), () => node.fault(notUnderstood)))
      const statusAt = (index: number) => Option.getOrUndefined(Option.flatMap(Arr.get(found, index), Either.getRight))
      const included = signatures.filter((_, index) => isConfirmed(statusAt(index)))
      const details = yield* detailsOfAny(agave, node, included)
      const over = yield* expiredOf(
        agave,
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

/**
 * The signatures whose block hash is not valid any more in the newest finalized block. That block must be later than the
 * sending: an earlier one may not have the block hash yet. It must not be later than the slot at which they were absent:
 * requests of one address may reach nodes that lag.
 */
const expiredOf = (
  agave: SolanaProvider,
  node: Endpoint,
  absent: ReadonlyArray<string>,
  notes: PendingMemory.Notes,
  absentAt: Slot
) =>
  Effect.gen(function* () {
    const clock = toSeconds(yield* now)
    const old = absent.flatMap((signature) => {
      const [blockhash = "", at = ""] = notes.get(signature) ?? []
      const sentAt = seconds(/^\d{1,12}$/.test(at) ? Number(at) : Number.NaN)
      return shift(sentAt, shortestValidity) < clock ? [{ signature, blockhash, sentAt }] : []
    })
    if (old.length === 0) return new Set<string>()
    const [head, validities] = yield* agave.validities(
      node,
      old.map(({ blockhash }) => blockhash)
    )
    return new Set(
      old.flatMap(({ sentAt, signature }, index) => {
        const validity = Option.getOrUndefined(Option.flatMap(Arr.get(validities, index), Either.getRight))
        const isOver = validity?.value === false && validity.context.slot <= absentAt
        return isOver && shift(sentAt, clockTolerance) < head.time ? [signature] : []
      })
    )
  })

const isConfirmed = (status: Status | null | undefined) =>
  status?.confirmationStatus === "confirmed" || status?.confirmationStatus === "finalized"

/** As {@link detailsOf}, from the other nodes if this one does not return all. */
const detailsOfAny = (agave: SolanaProvider, node: Endpoint, signatures: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = yield* detailsOf(agave, node, signatures)
    const open = signatures.filter((signature) => found.get(signature) === undefined)
    if (open.length === 0 || agave.nodes.addresses.length < 2) return found
    const others = yield* agave.nodes
      .over((other) => detailsOf(agave, other, open), {
        except: new Set([node]),
        isWhole: (read) => open.every((signature) => read.get(signature) !== undefined)
      })
      .pipe(Effect.orElseSucceed(() => new Map()))
    return new Map([...found, ...[...others].filter(([, transaction]) => transaction !== undefined)])
  })

/** The transactions of these signatures. Cannot fail: those that were not returned are absent, unreadable ones undefined. */
const detailsOf = (agave: SolanaProvider, node: Endpoint, signatures: ReadonlyArray<string>) =>
  Effect.map(
    each(
      Arr.chunksOf(signatures, agave.limits.transactionsPerRequest),
      (chunk) =>
        Effect.match(agave.transactions(node, chunk), {
          onFailure: () => [],
          onSuccess: (all) =>
            Arr.zip(chunk, all).flatMap(([signature, read]) => {
              const transaction = Either.getOrNull(read)
              return transaction === null ? [] : [[signature, transaction] as const]
            })
        }),
      4
    ),
    (all) => new Map(all.flat())
  )

/** A processed transaction may still be dropped: it counts as pending. */
const statusOf = (
  found: Status | undefined,
  newest: Slot,
  transaction: SolanaTransaction | undefined
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
