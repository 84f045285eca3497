import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ton } from "../../catalogue/ton.ts"
import { Height, Seconds, seconds, shift, toMillis } from "../../domain/units.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, Statuses, TransactionStatus } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { type Head, isPossibleTime } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import type { TonProvider, TonProviders, TransactionRows } from "./Provider.ts"
import { parseHash } from "./TonTransactions.ts"
import { hasNoEffect } from "./toTransaction.ts"

const Time = Schema.compose(Schema.NonNegativeInt, Seconds)
const flag = Schema.NullishOr(Schema.Boolean)
const skipped = Schema.NullishOr(Schema.Int)
const messages = Schema.NullishOr(Schema.Array(Schema.Unknown))

/** A row of `/api/v3/transactions` and `/api/v3/traces` of TON Center. */
const Row = Schema.Struct({
  now: Time,
  mc_block_seqno: Schema.NullishOr(Schema.compose(Schema.NonNegativeInt, Height)),
  /** True for a transaction that is in no block yet. */
  emulated: flag,
  description: Schema.Struct({
    aborted: flag,
    action: Schema.NullishOr(Schema.Struct({ success: flag, skipped_actions: skipped }))
  }),
  out_msgs: messages
})

const Listed = Schema.Struct({ transactions: Schema.NonEmptyArray(Row) })

/** `/v2/blockchain/transactions/{hash}` of TonAPI. */
const Single = Schema.Struct({
  utime: Time,
  success: Schema.Boolean,
  action_phase: Schema.NullishOr(Schema.Struct({ skipped_actions: skipped })),
  out_msgs: messages
})

const decodeRow = Schema.decodeUnknownEither(Row)
const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.Union(Listed, Single)))

/**
 * Statuses at the indexers, by the hash of a transaction or of the message that caused it. The notes of a message are the
 * last second at which a wallet executes it, or an empty text, and its normalized hash.
 */
export const statuses = (providers: TonProviders) =>
  Effect.map(
    PendingMemory.reader<TonProvider>(ton.id, {
      sources: providers,
      facts: ton,
      perRead,
      read: (provider, hashes, notes) =>
        Effect.gen(function* () {
          const newest = yield* provider.current
          const messages = hashes.map((hash) => messageOf(hash, notes.get(hash)?.[1]))
          const all = provider.transactions?.([...new Set(messages)]) ?? Effect.succeed(unknownRows)
          const { isWhole, rows } = yield* Effect.orElseSucceed(all, () => unknownRows)
          return hashes.map((hash, index) => {
            const row = rows.get(messages[index] ?? hash)
            // A transaction that may exist, but has no row, is looked up alone.
            return row === undefined && !isWhole
              ? statusAt(provider, hash, newest, notes.get(hash))
              : rowStatus(provider, row, newest, notes.get(hash))
          })
        })
    }),
    (read): Statuses => ({ hash: parseHash, read })
  )

/** The hash by which indexers list the transaction of a message. */
const messageOf = (hash: string, normalized = "") => (/^[0-9a-f]{64}$/.test(normalized) ? normalized : hash)

/** Each is looked up alone. */
const unknownRows: TransactionRows = { rows: new Map(), isWhole: false }

/** Transactions of one call: their hashes must fit into a query of 8 kB, and their traces into a response. */
const perRead = 50

const statusAt = (
  provider: TonProvider,
  hash: string,
  newest: Head,
  [validUntil, normalized]: ReadonlyArray<string> = []
): Effect.Effect<TransactionStatus, UpstreamError | ReadFailure> =>
  Effect.gen(function* () {
    const byHash = yield* provider.transaction(hash)
    const { body, verdict } =
      byHash.verdict === "unknown" ? yield* provider.transactionOfMessage(messageOf(hash, normalized)) : byHash
    if (verdict === "unknown") return absent(newest.time, validUntil)
    const found = yield* Either.mapLeft(decode(body), () => unreadable(provider))
    return yield* possible(
      provider,
      newest,
      "utime" in found ? singleStatus(found) : listedStatus(found.transactions[0])
    )
  })

const rowStatus = (
  provider: TonProvider,
  row: unknown,
  newest: Head,
  [validUntil]: ReadonlyArray<string> = []
): Either.Either<TransactionStatus, ReadFailure> =>
  row === undefined
    ? Either.right(absent(newest.time, validUntil))
    : Either.flatMap(
        Either.mapBoth(decodeRow(row), { onLeft: () => unreadable(provider), onRight: listedStatus }),
        (status) => possible(provider, newest, status)
      )

/** Left if its block is newer than the newest one can be by now, or its time is impossible. */
const possible = (
  provider: TonProvider,
  newest: Head,
  status: TransactionStatus
): Either.Either<TransactionStatus, ReadFailure> =>
  (status.block ?? newest.height) <= shift(newest.height, maxSince) &&
  isPossibleTime(ton, status.at ?? newest.time, toMillis(newest.time))
    ? Either.right(status)
    : Either.left(unread(provider.fault(wrongBlock)))

/** Blocks that may have come since the newest block was read, a minute ago at most. */
const maxSince = 1_000

/** Blocks of the masterchain are final; blocks of a shard may be included in them later. */
const absent = (newest: Seconds, validUntil = ""): TransactionStatus => {
  const isOver = /^\d{1,10}$/.test(validUntil) && shift(seconds(Number(validUntil)), ton.finality) < newest
  return { status: isOver ? "expired" : "not_found" }
}

const listedStatus = (found: typeof Row.Type): TransactionStatus => {
  if (found.emulated === true) return { status: "pending", confirmations: 0 }
  const block = found.mc_block_seqno ?? undefined
  return { ...statusOf(!hasNoEffect(found), found.now), ...(block === undefined ? {} : { block }) }
}

const singleStatus = ({ action_phase: action, out_msgs, success, utime }: typeof Single.Type): TransactionStatus =>
  statusOf(success && !hasNoEffect({ description: { action }, out_msgs }), utime)

/** Fees are unknown: other transactions of the same trace pay fees too. */
const statusOf = (isDone: boolean, at: Seconds): TransactionStatus => ({ status: isDone ? "confirmed" : "failed", at })

const unreadable = ({ name }: TonProvider): ReadFailure => ({
  reason: "bad_answer",
  message: `${name}: returned a transaction that cannot be read`
})
