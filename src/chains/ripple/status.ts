import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ripple } from "../../catalogue/ripple.ts"
import { distance, height, type LedgerIndex, ledgerIndex, now, numberOf, shift, toSeconds } from "../../domain/units.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { requireCurrent, requireHeight, toleranceOf } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import { firstLedger, timeOf } from "./LedgerTransaction.ts"
import { type RippleProvider, unreadable } from "./Provider.ts"
import { parseHash } from "./RippleTransaction.ts"

type Tx = Exclude<Effect.Effect.Success<ReturnType<RippleProvider["stateOf"]>>, boolean>

/** Statuses at the nodes. The note of a transaction is the last ledger that may include it. */
export const statuses = (rippled: RippleProvider) =>
  Effect.map(
    PendingMemory.reader(ripple.id, { sources: rippled.nodes.addresses, read: atNode(rippled) }),
    (read): Statuses => ({ hash: parseHash, read })
  )

const atNode =
  (rippled: RippleProvider) => (node: Endpoint, hashes: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
    Effect.gen(function* () {
      const { complete_ledgers, validated_ledger } = (yield* rippled.server(node)).info
      const newest = validated_ledger.seq
      yield* requireCurrent(node, ripple, shift(toSeconds(yield* now), -validated_ledger.age))
      yield* requireHeight(node, ripple, height(numberOf(newest)))
      const hasAll = rangesOf(complete_ledgers)
      const statusOf = (hash: string) =>
        Effect.gen(function* () {
          const [stored] = (notes.get(hash) ?? []).flatMap((text) =>
            /^\d{1,10}$/.test(text) ? ledgerIndex(Number(text)) : []
          )
          // Requests to one address may reach different nodes: the one that does not have it must have searched the range.
          const range =
            stored !== undefined && stored < newest
              ? { min_ledger: numberOf(shift(stored, 1 - validity)), max_ledger: numberOf(stored) }
              : undefined
          const tx = yield* rippled.stateOf(node, hash, range)
          if (typeof tx === "boolean") {
            const from = stored === undefined ? firstLedger : shift(newest, -validity)
            if (range === undefined ? !hasAll(from, shift(newest, -maxSince)) : !tx)
              return yield* node.fault(incomplete)
            return range === undefined ? notFound : expired
          }
          if (tx.validated === true) return yield* Either.mapLeft(validated(tx, newest), node.fault)
          const own = tx.LastLedgerSequence
          if (own !== undefined)
            yield* Either.mapLeft(PendingMemory.noted(notes, hash, [String(numberOf(own))]), node.fault)
          const last = stored ?? own
          return last !== undefined && shift(last, maxLag) < newest && hasAll(shift(last, -validity), last)
            ? expired
            : pending
        })
      return hashes.map(statusOf)
    })

const pending: TransactionStatus = { status: "pending", confirmations: 0 }
const notFound: TransactionStatus = { status: "not_found" }
const expired: TransactionStatus = { status: "expired", final: true }

/** A validated transaction is final. Its fee is charged even if it failed. */
const validated = (
  { Fee, date, ledger_index: ledger, meta }: Tx,
  newest: LedgerIndex
): Either.Either<TransactionStatus, Fault> =>
  meta === undefined || ledger === undefined || date === undefined
    ? Either.left(unreadable)
    : ledger > shift(newest, maxSince)
      ? Either.left(wrongBlock)
      : Either.right({
          status: meta.TransactionResult === "tesSUCCESS" ? "confirmed" : "failed",
          confirmations: Math.max(1, distance(ledger, newest) + 1),
          block: height(numberOf(ledger)),
          at: timeOf(date),
          fee: BigInt(Fee),
          final: true
        })

/** Ledgers that may have come since the newest was read, which is read first, or that a node has not stored yet. */
const maxSince = 10

/** Ledgers by which a current node may be behind the one that returned the newest ledger. */
const maxLag = Math.ceil((1000 * toleranceOf(ripple)) / ripple.blockTime)

/** Ledgers before the last that a node must have, at most as many as it searches: transactions expire much earlier. */
const validity = 1_000

/** Whether a node has all ledgers from one to another. */
const rangesOf = (complete: string) => (from: LedgerIndex, to: LedgerIndex) =>
  complete.split(",").some((range) => {
    const [first = ledgerIndex(Number.NaN), last = first] = range.split("-").map((text) => ledgerIndex(Number(text)))
    return first <= from && to <= last
  })

const incomplete: Fault = {
  reason: "upstream_error",
  detail: "does not have the transaction, nor all ledgers that may include it"
}
