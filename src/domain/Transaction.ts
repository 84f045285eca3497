import * as Schema from "effect/Schema"

/** How a transaction ended; Unknown where its source does not say. */
export const Status = Schema.Literal("Failed", "Success", "Pending", "Unknown")
export type Status = typeof Status.Type

/** An address and the amount that it gives or receives. Fees are never part of an amount. */
export const Movement = Schema.Struct({
  /** As the network writes it. */
  address: Schema.String,
  /** Base units; in the store and on the wire a decimal text. */
  amount: Schema.NonNegativeBigInt,
  /** The token's address in canonical form, or `Unknown` where not even that is known; absent for the native coin. */
  token: Schema.optionalWith(Schema.String, { exact: true })
})
export type Movement = typeof Movement.Type

/** One transaction, as one address of it sees it. */
export const Transaction = Schema.Struct({
  hash: Schema.String,
  /** Send, Receive, Contract Call, Cancel, or the network's own word. */
  type: Schema.String,
  /** Base units of the native coin, all parts of it added up; null when it is not known. */
  fee: Schema.NullOr(Schema.NonNegativeBigInt),
  /**
   * What the address itself paid of the fee. Absent where it paid all of it, as one of those from whom something is taken,
   * or nothing, as none of them.
   */
  paid: Schema.optionalWith(Schema.NonNegativeBigInt, { exact: true }),
  status: Status,
  /** When it was executed, or first seen where it is pending; UNIX time in whole seconds. */
  timestamp: Schema.Int,
  /** What orders transactions of the same second, the newest highest: height, position in the block, or the like. */
  order: Schema.Finite,
  /** Everyone from whom something is taken, and to whom something goes. A failed transaction moves nothing: amounts of 0. */
  from: Schema.Array(Movement),
  to: Schema.Array(Movement)
})
export type Transaction = typeof Transaction.Type

/** Where a page of a history ended: the next one goes on at this height, which it may contain in part. */
export interface HistoryPosition {
  /** In the unit of the network's heights: a block, a slot, a ledger, or a time. */
  readonly height: number
  /** The hash of the last transaction that was returned, which is at this height. */
  readonly last: string
  /**
   * The hash of the lowest transaction above this height that was returned, for sources that page by hashes; absent where
   * there was none.
   */
  readonly above?: string
  /** How many transactions the pages before returned: a hint for sources that page by numbers. */
  readonly returned: number
  /** Where a network has several chains: the lowest block of each of them that the pages before returned. */
  readonly blocks?: Readonly<Record<string, number>>
  /** `accounts` of the pages before. */
  readonly accounts?: ReadonlyArray<string>
}

/** A request for the history of one address. */
export interface HistoryQuery {
  /** In canonical form. */
  readonly address: string
  /** How many transactions, the newest ones. */
  readonly limit: number
  /** Transactions before this time (UNIX seconds) are known already; those of that second or later are wanted. */
  readonly since?: number
  /**
   * Only transactions in blocks at this height or below are wanted, the newest of them. At least one is there: the last one
   * of the page before. Never together with `since`.
   */
  readonly before?: HistoryPosition
}

/** What could be read of the history of one address. */
export interface HistoryPart {
  /** The newest first, each hash once, at most as many as wanted, none left out between the newest and the oldest but what `missing` names. */
  readonly transactions: ReadonlyArray<Transaction>
  /** Whether there are older ones than the last of them (and than `since`). */
  readonly more: boolean
  /** The upstreams that returned it. */
  readonly sources: ReadonlyArray<string>
  /** What is known to be missing, in words for people: `internal transfers: blockscout is down`. */
  readonly missing: ReadonlyArray<string>
  /**
   * What is or may be missing because no source lists it, in words for people. Another request would not bring it, so
   * the rest can be stored.
   */
  readonly unavailable?: ReadonlyArray<string>
  /** Other accounts whose transactions are those of the address: older ones may be found only by these. */
  readonly accounts?: ReadonlyArray<string>
}

/** The newest first. */
export const newestFirst = (a: Transaction, b: Transaction): number => b.timestamp - a.timestamp || b.order - a.order
