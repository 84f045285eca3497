import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { cardano } from "../../catalogue/cardano.ts"
import { distance, shift, slot } from "../../domain/units.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import { parseId } from "./CardanoTransaction.ts"
import { type Block, newestOf } from "./Parameters.ts"
import type { CardanoProvider, LookedUp } from "./Provider.ts"

/** Reads the statuses of transactions. The note of a transaction is the last slot that may include it. */
export const statuses = (sources: ReadonlyArray<CardanoProvider>) =>
  Effect.map(
    PendingMemory.reader(cardano.id, { sources, facts: cardano, read: atSource }),
    (read): Statuses => ({ hash: parseId, read })
  )

const atSource = (source: CardanoProvider, ids: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const newest = yield* newestOf(source)
    const found = yield* source.lookUp(ids)
    return ids.map((id, index) =>
      Either.flatMap(found[index] ?? Either.left(source.fault(notReturned)), (transaction) =>
        Either.mapLeft(statusOf(transaction, newest, notes.get(id)), source.fault)
      )
    )
  })

const statusOf = (
  found: LookedUp,
  newest: typeof Block.Type,
  [lastSlot]: ReadonlyArray<string> = []
): Either.Either<TransactionStatus, Fault> => {
  const pending: TransactionStatus = { status: "pending", confirmations: 0 }
  if (found === "mempool") return Either.right(pending)
  if (found === undefined) {
    // Slots take one second. A block that is not final may still be replaced by one with the transaction.
    const stable = shift(newest.slot, -cardano.finality)
    const isOver = lastSlot !== undefined && /^\d{1,15}$/.test(lastSlot) && slot(Number(lastSlot)) < stable
    return Either.right({ status: isOver ? "expired" : "not_found" })
  }
  const { fee, height, timestamp, valid } = found
  // The newest block is read first: another one may have come since.
  if (height !== null && height > shift(newest.height, 1)) return Either.left(wrongBlock)
  return Either.right({
    status: valid ? "confirmed" : "failed",
    ...(height === null ? {} : { block: height, confirmations: Math.max(1, distance(height, newest.height) + 1) }),
    at: timestamp,
    ...(valid ? { fee } : {})
  })
}

const notReturned: Fault = { reason: "bad_answer", detail: "did not return the status of each transaction" }
