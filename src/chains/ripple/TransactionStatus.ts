import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"
import { distance, height, LedgerIndex, ledgerIndex, numberOf, shift } from "../../domain/units.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import { Uint32 } from "../amounts.ts"
import type { Statuses, TransactionStatus } from "../Chain.ts"
import { requireHeight, toleranceOf } from "../currentHead.ts"
import * as PendingMemory from "../statuses/PendingMemory.ts"
import { wrongBlock } from "../statuses/readStatuses.ts"
import { Drops } from "./amount.ts"
import { call, contradiction, errorOf } from "./Client.ts"
import { timeOf } from "./LedgerTransaction.ts"
import { faultOf, interpreting, parseHash, post } from "./RawTransactions.ts"

// `tx`, `server_info` and `ledger` of rippled (xrpl.org/docs/references/http-websocket-apis/public-api-methods).

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
    validated_ledger: Schema.Struct({ seq: Index, age: Schema.Number.pipe(Schema.between(0, toleranceOf(ripple))) })
  })
})

const Ledger = Schema.Struct({
  ledger_index: Index,
  validated: Schema.Literal(true),
  ledger: Schema.Struct({ close_time: Uint32 })
})

/** The newest validated ledger of a node. */
export const headOf = (node: Endpoint) =>
  call(node, "ledger", { ledger_index: "validated" }, Ledger).pipe(
    Effect.flatMap(Either.fromOption(() => node.fault(contradiction))),
    Effect.map(({ ledger, ledger_index }) => ({
      height: height(numberOf(ledger_index)),
      time: timeOf(ledger.close_time)
    }))
  )

/** Statuses at the nodes. The note of a transaction is the last ledger that may include it. */
export const make = (nodes: Upstream) =>
  Effect.map(
    PendingMemory.reader(ripple.id, { sources: nodes.addresses, read: atNode }),
    (read): Statuses => ({ hash: parseHash, read })
  )

const atNode = (node: Endpoint, hashes: ReadonlyArray<string>, notes: PendingMemory.Notes) =>
  Effect.gen(function* () {
    const server = yield* call(node, "server_info", {}, ServerInfo)
    if (Option.isNone(server)) return yield* node.fault(contradiction)
    const { complete_ledgers: complete, validated_ledger } = server.value.info
    yield* requireHeight(node, ripple, height(numberOf(validated_ledger.seq)))
    const statusOf = (hash: string) =>
      Effect.map(node.read(post("tx", { transaction: hash, binary: false }), interpreting(found(hash))), (tx) => {
        if (tx?.LastLedgerSequence !== undefined) notes.set(hash, [String(numberOf(tx.LastLedgerSequence))])
        if (tx?.validated === true) return validated(tx, validated_ledger.seq)
        const [last] = (notes.get(hash) ?? []).map((text) => ledgerIndex(Number(text)))
        if (isOver(last, validated_ledger.seq, complete)) return Either.right(expired)
        return Either.right<TransactionStatus>(
          tx === undefined ? { status: "not_found" } : { status: "pending", confirmations: 0 }
        )
      }).pipe(Effect.flatMap(Either.mapLeft(node.fault)))
    return hashes.map(statusOf)
  })

const expired: TransactionStatus = { status: "expired", final: true }

const decode = Schema.decodeUnknownOption(Tx)

const found =
  (hash: string) =>
  (result: Readonly<Record<string, unknown>>): Either.Either<Tx | undefined, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(undefined)
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

/** Ledgers that may have come since the newest was read, which is read first. */
const maxSince = 10

/** Ledgers before the last that a node must have: wallets let transactions expire much earlier. */
const validity = 1_000

/** Whether the last ledger has passed, and the node has all ledgers that could have included the transaction. */
const isOver = (last: LedgerIndex | undefined, newest: LedgerIndex, complete: string): boolean =>
  last !== undefined &&
  last < newest &&
  complete.split(",").some((range) => {
    const [from = ledgerIndex(Number.NaN), to = from] = range.split("-").map((text) => ledgerIndex(Number(text)))
    return from <= shift(last, -validity) && last <= to
  })

const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
