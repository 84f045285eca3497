import { base58 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sui } from "../../catalogue/sui.ts"
import { distance, type Height, secondsOf } from "../../domain/units.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import type { SuiHead, SuiProvider } from "./Provider.ts"
import type { Checkpointed } from "./providers/graphql/calls.ts"
import { costOf } from "./toTransaction.ts"

/** Digests per query; hosts limit the size of a response. */
const digestsPerQuery = 50

/** A digest: 32 bytes in base58. */
const parseDigest = (text: string): Either.Either<string, string> =>
  /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58.decode(text).length === 32
    ? Either.right(text)
    : Either.left("the digest of a transaction has 32 bytes in base58")

/** Reads statuses at the GraphQL hosts. The note of a transaction is the last epoch that may execute it. */
export const statuses = (provider: SuiProvider) =>
  Effect.map(
    PendingMemory.reader(sui.id, {
      sources: provider.hosts.addresses,
      read: atHost(provider),
      perRead: digestsPerQuery
    }),
    (read): Statuses => ({ hash: parseDigest, read })
  )

const atHost =
  (provider: SuiProvider) => (host: Endpoint, digests: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
    Effect.gen(function* () {
      const { found, head } = yield* provider.statuses(host, digests)
      yield* requireCurrent(host, sui, head.time)
      return Arr.zipWith(digests, found, (digest, read) =>
        Either.mapLeft(
          Either.flatMap(read, (own) =>
            own === null ? Either.right(absentStatus(head, notes.get(digest))) : statusOf(digest, own, head.height)
          ),
          host.fault
        )
      )
    })

/**
 * Checkpoints are final, and those of an epoch come before those of the next one. A host may index transactions later than
 * checkpoints.
 */
const absentStatus = ({ epoch, time }: SuiHead, [last = ""]: ReadonlyArray<string> = []): TransactionStatus => {
  const isOver =
    epoch != null &&
    /^\d{1,20}$/.test(last) &&
    epoch.epochId > Number(last) &&
    distance(secondsOf(epoch.startTimestamp), time) >= sui.finality
  return { status: isOver ? "expired" : "not_found" }
}

const statusOf = (
  digest: string,
  found: NonNullable<typeof Checkpointed.Type>,
  newest: Height
): Either.Either<TransactionStatus, Fault> => {
  const { checkpoint, status, timestamp } = found.effects
  if (found.digest !== digest) return Either.left(otherTransaction)
  // Executed, but not in a checkpoint that the host has.
  if (checkpoint === null || checkpoint.sequenceNumber > newest)
    return Either.right({ status: "pending", confirmations: 0 })
  const block = checkpoint.sequenceNumber
  const cost = costOf(found)
  if (cost === null) return Either.left(noGas)
  return Either.right({
    status: status === "SUCCESS" ? "confirmed" : "failed",
    confirmations: distance(block, newest) + 1,
    block,
    at: secondsOf(timestamp),
    // The storage rebate may exceed the cost.
    fee: cost < 0n ? 0n : cost,
    final: true
  })
}

const noGas: Fault = { reason: "bad_answer", detail: "returned a transaction without its gas" }
