import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"
import { distance, height, LedgerIndex, ledgerIndex, now, numberOf, shift, toSeconds } from "../../domain/units.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { Uint32 } from "../kit/holdings/amounts.ts"
import { requireCurrent, requireHeight, toleranceOf } from "../kit/status/currentHead.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { wrongBlock } from "../kit/status/readStatuses.ts"
import { Drops } from "./amount.ts"
import { call, contradiction, errorOf } from "./Client.ts"
import { timeOf } from "./LedgerTransaction.ts"
import { faultOf, interpreting, parseHash, post } from "./sending.ts"

// `tx` and `server_info` of rippled (xrpl.org/docs/references/http-websocket-apis/public-api-methods).

const Index = Schema.compose(Uint32, LedgerIndex)

/** A transaction in version 1 of the API. */
const Tx = Schema.Struct({
  hash: Schema.String,
  Fee: Drops,
  LastLedgerSequence: Schema.optional(Index),
  date: Schema.optional(Uint32),
  ledger_index: Schema.optional(Index),
  validated: Schema.optional(Schema.Boolean),
  meta: Schema.optional(Schema.Struct({ TransactionResult: Schema.String }))
})
type Tx = typeof Tx.Type

const ServerInfo = Schema.Struct({
  info: Schema.Struct({
    /** Ranges such as `32570-6595042,6595050-7000000`, or `empty`. */
    complete_ledgers: Schema.String,
    /** `age` is the time since it was closed, seconds. */
    validated_ledger: Schema.Struct({ seq: Index, age: Schema.NonNegative })
  })
})

/** Statuses at the nodes. The note of a transaction is the last ledger that may include it. */
export const statuses = (nodes: Upstream) =>
  Effect.map(
    PendingMemory.reader(ripple.id, { sources: nodes.addresses, read: atNode }),
    (read): Statuses => ({ hash: parseHash, read })
  )

const atNode = (node: Endpoint, hashes: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const server = yield* call(node, "server_info", {}, ServerInfo)
    if (Option.isNone(server)) return yield* node.fault(contradiction)
    const { complete_ledgers, validated_ledger } = server.value.info
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
        const parameters = { transaction: hash, binary: false, ...range }
        const tx = yield* node.read(post("tx", parameters), interpreting(found(hash)))
        if (typeof tx === "boolean") {
          const from = stored === undefined ? firstLedger : shift(newest, -validity)
          if (range === undefined ? !hasAll(from, shift(newest, -maxSince)) : !tx) return yield* node.fault(incomplete)
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

const decode = Schema.decodeUnknownOption(Tx)

/** The transaction, or whether the node has searched the whole requested range for it. */
const found =
  (hash: string) =>
  (result: Readonly<Record<string, unknown>>): Either.Either<Tx | boolean, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(result.searched_all === true)
    if (error !== undefined) return Either.left(faultOf(error))
    return Either.fromOption(
      Option.filter(decode(result), (tx) => tx.hash === hash),
      () => unreadable
    )
  }

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

/** The first ledger that exists; earlier ones were lost. */
const firstLedger = ledgerIndex(32_570)

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
const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
