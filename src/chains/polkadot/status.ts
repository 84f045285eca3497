import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { ReadFailure, Statuses, StatusResult, TransactionStatus } from "../Chain.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { isOver, mortalityIn } from "./expiry.ts"
import { type FoundExtrinsic, noIndexer, type PolkadotIndexer } from "./Provider.ts"
import { extrinsicState } from "./providers/subscan/calls.ts"
import { feeOf, isContradictory, isFailed } from "./rows.ts"
import { parseHash } from "./sending.ts"

const decode = Schema.decodeUnknownEither(
  Schema.parseJson(extrinsicState.response).pipe(
    Schema.filter(({ data }) => data.pending === true || !isContradictory(data))
  )
)

/**
 * Statuses at the indexer; nodes cannot look up extrinsics by hash. The notes of a
 * mortal extrinsic are its account, nonce and period, and the second at which it was sent.
 */
export const statuses = (nodes: Upstream, indexer: PolkadotIndexer | undefined) =>
  Effect.map(
    PendingMemory.reader<PolkadotIndexer>(polkadot.id, {
      sources: indexer === undefined ? [] : [indexer],
      facts: polkadot,
      read: ({ find }, hashes, notes) =>
        Effect.succeed(
          hashes.map((hash) =>
            Effect.flatMap(find(hash), (found) =>
              found.response.verdict === "unknown" ? absentStatus(nodes, notes.get(hash) ?? []) : toStatus(found)
            )
          )
        ),
      none: noIndexer
    }),
    (read): Statuses => ({ hash: parseHash, read })
  )

/** If no node returns whether it can still be included, it is only absent. */
const absentStatus = (nodes: Upstream, notes: ReadonlyArray<string>): Effect.Effect<TransactionStatus> => {
  const mortality = mortalityIn(notes)
  const over = mortality === undefined ? Effect.succeed(false) : nodes.over((node) => isOver(node, mortality))
  return Effect.map(
    Effect.orElseSucceed(over, () => false),
    (isOver) => ({ status: isOver ? "expired" : "not_found" })
  )
}

const toStatus = ({ chain, response: { body } }: FoundExtrinsic): StatusResult =>
  Either.mapBoth(decode(body), {
    onLeft: () => unreadable,
    onRight: ({
      data: { block_num, block_timestamp, event, fee_used, finalized, pending, success }
    }): TransactionStatus => {
      if (pending === true) return { status: "pending", confirmations: 0 }
      const fee = feeOf(fee_used)
      return {
        status: isFailed({ event, success }) ? "failed" : "confirmed",
        // Heights of the relay chain cannot be compared with those of Asset Hub.
        ...(chain === "hub" ? { block: block_num } : {}),
        at: block_timestamp,
        ...(fee === null ? {} : { fee }),
        ...(finalized == null ? {} : { final: finalized })
      }
    }
  })

const unreadable: ReadFailure = { reason: "bad_answer", message: "subscan: returned an extrinsic that cannot be read" }
