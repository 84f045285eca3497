import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { distance, Height, Millis, millis, numberOf, shift, toSeconds } from "../../domain/units.ts"
import { readOnce } from "../../kernel/madeOnce.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import { toleranceOf } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import { newestOf, type TronBlock } from "./newestBlock.ts"
import { parseId } from "./TronTransaction.ts"
import { orAbsent, post, Sun } from "./TronWire.ts"

// `/wallet/gettransactioninfobyid` and `/wallet/gettransactionbyid` of a node's HTTP API
// (developers.tron.network/reference). A node without the transaction returns an empty object.

const Time = Schema.compose(Schema.Positive, Millis)

/** A transaction in a block. Members that are zero are absent. */
const Info = orAbsent(
  Schema.Struct({
    id: Schema.String,
    blockNumber: Schema.compose(Schema.Positive, Height),
    blockTimeStamp: Time,
    fee: Schema.optionalWith(Sun, { default: () => 0n }),
    /** `FAILED`; absent if it succeeded. */
    result: Schema.optional(Schema.String),
    receipt: Schema.optional(Schema.Struct({ result: Schema.optional(Schema.String) }))
  })
)

const Known = orAbsent(
  Schema.Struct({
    txID: Schema.String,
    raw_data: Schema.Struct({ expiration: Time })
  })
)

/** Statuses at TronGrid or the operator's node. The note of a transaction is its expiration, ms. */
export const statuses = (trongrid: Upstream) =>
  Effect.map(
    PendingMemory.reader(tron.id, { sources: [trongrid], facts: tron, read: atNode }),
    (read): Statuses => ({ hash: parseId, read })
  )

const atNode = (trongrid: Upstream, ids: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const newest = yield* newestOf(trongrid)
    const solidified = yield* readOnce(newestOf(trongrid, "walletsolidity"))
    return ids.map((id) => statusOf(trongrid, id, { newest, solidified }, notes))
  })

interface Blocks {
  readonly newest: TronBlock
  readonly solidified: Effect.Effect<TronBlock, UpstreamError>
}

const statusOf = (
  trongrid: Upstream,
  id: string,
  { newest, solidified }: Blocks,
  notes: PendingMemory.Notes
): Effect.Effect<TransactionStatus, UpstreamError> =>
  Effect.gen(function* () {
    const info = yield* trongrid.read(post("/wallet/gettransactioninfobyid", { value: id }), Info)
    if (info !== undefined) {
      const { blockNumber: block, blockTimeStamp, fee, receipt, result } = info
      if (info.id !== id) return yield* trongrid.fault(otherTransaction)
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
    const known = yield* trongrid.read(post("/wallet/gettransactionbyid", { value: id }), Known)
    if (known !== undefined) {
      if (known.txID !== id) return yield* trongrid.fault(otherTransaction)
      yield* Either.mapLeft(
        PendingMemory.noted(notes, id, [String(numberOf(known.raw_data.expiration))]),
        trongrid.fault
      )
    }
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
