import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { tron } from "../../catalogue/tron.ts"
import { distance, millis, numberOf, shift, toSeconds } from "../../domain/units.ts"
import { readOnce } from "../../kernel/madeOnce.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { headsOf, toleranceOf } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import type { TronBlock, TronProvider } from "./Provider.ts"
import { parseId } from "./TronTransaction.ts"

/** Statuses at TronGrid or the operator's node. The note of a transaction is its expiration, ms. */
export const statuses = (trongrid: TronProvider) =>
  Effect.map(
    PendingMemory.reader(tron.id, { sources: [trongrid], facts: tron, read: atNode }),
    (read): Statuses => ({ hash: parseId, read })
  )

const atNode = (trongrid: TronProvider, ids: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const newest = yield* trongrid.newest
    const solidified = yield* readOnce(trongrid.solidified)
    return ids.map((id) => statusOf(trongrid, id, { newest, solidified }, notes))
  })

interface Blocks {
  readonly newest: TronBlock
  readonly solidified: Effect.Effect<TronBlock, UpstreamError>
}

const statusOf = (
  trongrid: TronProvider,
  id: string,
  { newest, solidified }: Blocks,
  notes: PendingMemory.Notes
): Effect.Effect<TransactionStatus, UpstreamError> =>
  Effect.gen(function* () {
    const info = yield* trongrid.included(id)
    if (info !== undefined) {
      const { blockNumber: block, blockTimeStamp, fee, receipt, result } = info
      if (block > shift(newest.number, maxSince)) return yield* trongrid.fault(wrongBlock)
      const isFailed = result === "FAILED" || !succeeded.includes(receipt?.result)
      return {
        status: isFailed ? "failed" : "confirmed",
        confirmations: Math.max(1, distance(block, newest.number) + 1),
        block,
        at: toSeconds(blockTimeStamp),
        fee
      }
    }
    const known = yield* trongrid.expirationOf(id)
    if (known !== undefined)
      yield* Either.mapLeft(PendingMemory.noted(notes, id, [String(numberOf(known))]), trongrid.fault)
    const [expiration = "Infinity"] = notes.get(id) ?? []
    // A block includes only transactions that expire after the block before it. Blocks may still be replaced until they
    // are solidified. Requests of one address may reach nodes that lag by the tolerance.
    const over = shift(millis(Number(expiration)), 1000 * toleranceOf(tron))
    const isOver = ({ timestamp }: TronBlock) => over <= timestamp
    if (isOver(newest) && isOver(yield* solidified)) return { status: "expired" }
    return known !== undefined ? { status: "pending", confirmations: 0 } : { status: "not_found" }
  })

/** Blocks that may have come since the newest block was read, which is read first. */
const maxSince = 10

/** Results of transactions that succeeded; transfers have none. */
const succeeded: ReadonlyArray<string | undefined> = [undefined, "SUCCESS", "DEFAULT"]

/** The newest block of the only source. */
export const heads = ({ fault, newest }: TronProvider) =>
  headsOf([{ fault }], () =>
    Effect.map(newest, ({ number, timestamp }) => ({ height: number, time: toSeconds(timestamp) }))
  )

/** The newest block. */
export const newestBlock = ({ newest }: TronProvider) =>
  Effect.mapBoth(newest, {
    onFailure: unread,
    onSuccess: ({ number, timestamp }) => ({ height: number, at: toSeconds(timestamp) })
  })
