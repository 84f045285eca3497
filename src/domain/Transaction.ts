import * as Schema from "effect/Schema"
import type { Gap } from "./history/Gap.ts"
import { type Count, distance, greatest, Height, height, least, type Position, Seconds, shift } from "./units.ts"

/** Outcome of a transaction; Unknown if its source does not return it. */
export const Status = Schema.Literal("Failed", "Success", "Pending", "Unknown")
export type Status = typeof Status.Type

/** States of a transaction that is looked up by its hash. */
export const transactionStates = ["pending", "confirmed", "failed", "replaced", "expired", "not_found"] as const
export type TransactionState = (typeof transactionStates)[number]

/** An address and the amount that it sends or receives. Fees are never part of an amount. */
export const Movement = Schema.Struct({
  /** As the network writes it. */
  address: Schema.String,
  /** Base units; a decimal string in the store and on the wire. */
  amount: Schema.NonNegativeBigInt,
  /** The token's address in canonical form, or `Unknown` if the address is not known; absent for the native coin. */
  token: Schema.optionalWith(Schema.String, { exact: true })
})
export type Movement = typeof Movement.Type

/** A transaction from the point of view of one of its addresses. */
export const Transaction = Schema.Struct({
  hash: Schema.String,
  /** Send, Receive, Contract Call, Cancel, or a type specific to the network. */
  type: Schema.String,
  /** Total fee in base units of the native coin; null if unknown. */
  fee: Schema.NullOr(Schema.NonNegativeBigInt),
  /**
   * Share of the fee that the address itself paid. Absent if the default applies: an address in `from` paid the whole
   * fee, any other address paid nothing. Negative if the network returned more, such as rent, than the fee.
   */
  paid: Schema.optionalWith(Schema.BigInt, { exact: true }),
  status: Status,
  /** Time of execution, or when first seen if pending. */
  timestamp: Seconds,
  /**
   * Height of its block. Absent while it is pending, and if the source does not return it.
   */
  block: Schema.optionalWith(Height, { exact: true }),
  /** The sender's number of the transaction; absent if the network or the source has none. */
  nonce: Schema.optionalWith(Schema.NonNegativeInt, { exact: true }),
  /** Sort key within the same second, highest for the newest: height, position in the block, or similar. */
  order: Schema.Finite,
  /** All senders, and in `to` all recipients. A failed transaction has amounts of 0. */
  from: Schema.Array(Movement),
  to: Schema.Array(Movement)
})
export type Transaction = typeof Transaction.Type

/** The `block` and `nonce` of a transaction, without values that are unknown or not exact. */
export const numbered = ({ block, nonce }: { readonly [K in "block" | "nonce"]?: number | null | undefined }) => ({
  ...(isNumber(block) ? { block: height(block) } : {}),
  ...(isNumber(nonce) ? { nonce } : {})
})

const isNumber = (value: number | null | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/**
 * Where a page of a history ended. The next page continues at this height, because the page may contain only a part of
 * it.
 */
export interface HistoryPosition<P extends Count = Position> {
  readonly height: P
  /** The hash of a transaction at this height: the last one that was returned, or the one below it. */
  readonly last: string
  /** That transaction was unconfirmed: it may be at another height by now. */
  readonly mayMove?: true
  /**
   * Hash of the lowest returned transaction above this height, for sources that page by hash; absent if the pages
   * returned no transaction above this height.
   */
  readonly above?: string
  /** Number of transactions that the previous pages returned: a hint for sources that page by offset. */
  readonly returned: number
  /** For a network with several chains: the lowest block of each chain that the previous pages returned. */
  readonly blocks?: Readonly<Record<string, Height>>
  /** `accounts` of the previous pages. */
  readonly accounts?: ReadonlyArray<string>
  /** Lists of the source that have no row at this height or below. */
  readonly ended?: ReadonlyArray<string>
}

/** Transactions before `since` that a source may have listed after others were read. */
export interface LateTransactions {
  /** None of this second or earlier. */
  readonly after: Seconds
  /** The hashes of those that are known. */
  readonly known: ReadonlySet<string>
}

/** A request for the history of one address. */
export interface HistoryQuery<P extends Count = Position> {
  /** In canonical form. */
  readonly address: string
  /** Maximum number of transactions; the newest are returned. */
  readonly limit: number
  /** Requests transactions of this second or later; older transactions are already known. */
  readonly since?: Seconds
  /** Older transactions that are wanted too, from pages that are read anyway. Only with `since`. */
  readonly late?: LateTransactions
  /** Hash of a known transaction before `since`, for sources that list those after a hash. Only with `since`. */
  readonly after?: string
  /**
   * Requests only the newest transactions at this height or below. They include `last`. Never combined with `since`.
   */
  readonly before?: HistoryPosition<P>
  /** Tokens that move in known transactions: their decimals are confirmed too. Only with `since`. */
  readonly tokens?: ReadonlyArray<string>
}

/** The part of the history of one address that could be read. */
export interface HistoryPart {
  /** Newest first, without duplicate hashes, at most `limit`, without gaps except `gaps`. */
  readonly transactions: ReadonlyArray<Transaction>
  /** Whether transactions older than the last one exist (with `since`: of that second or later). */
  readonly more: boolean
  /** The upstreams that returned the transactions. */
  readonly sources: ReadonlyArray<string>
  /** With `since`: number of all transactions in blocks that the source states; absent if it states none. */
  readonly stated?: number
  /** Parts that are or may be missing: `internal transfers: blockscout is down`. */
  readonly gaps: ReadonlyArray<Gap>
  /** True if another source knows more about these transactions: they are not stored. */
  readonly provisional?: boolean
  /**
   * Other accounts whose transactions belong to the address; older transactions may be found only through these
   * accounts.
   */
  readonly accounts?: ReadonlyArray<string>
  /** Lists of the source that were read to their end, with the height of their last row; Infinity if they are empty. */
  readonly ended?: ReadonlyMap<string, Position>
}

/** Whether a transaction that was read is requested: one of `since` or later, or a late one. */
export const isRequested =
  ({ late, since }: Pick<HistoryQuery, "late" | "since">) =>
  (hash: string, timestamp: Seconds | undefined): boolean =>
    since === undefined ||
    timestamp === undefined ||
    timestamp >= since ||
    (late !== undefined && timestamp > late.after && !late.known.has(hash))

/** Late transactions are requested for this time, seconds, from sources that list those of a range of times. */
const overlap = 2 * 86_400

/** The time from which transactions are requested of such a source; pages after the first are read only back to `since`. */
export const requestedFrom = ({ late, since }: Pick<HistoryQuery, "late" | "since">): Seconds | undefined =>
  since === undefined || late === undefined ? since : least(since, greatest(late.after, shift(since, -overlap)))

/** Sort order: newest first. */
export const newestFirst = (a: Transaction, b: Transaction): number =>
  distance(a.timestamp, b.timestamp) || b.order - a.order

/** The tokens that move in these transactions, once for each movement. */
export const tokensOf = (transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> =>
  transactions.flatMap(({ from, to }) => [...from, ...to].flatMap(({ token }) => token ?? []))
