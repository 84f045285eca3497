import type { Transaction } from "../Transaction.ts"
import type { Count, Height, Millis, Position } from "../units.ts"

/** The unit that separates the pages of a history: a block, a slot, a ledger or a time. */
export interface Heights<P extends Count = Position> {
  /**
   * Height of a transaction: equal for every source, within `tolerance`; never lower for a later transaction. Infinite
   * if it has none yet.
   */
  readonly of: (transaction: Transaction) => P
  /** Upper bound for a height, by the network's own facts. */
  readonly max: (clock: Millis) => P
  /** Maximum difference between sources, in the same unit; 0 if absent. */
  readonly tolerance?: number
  /** Seconds by which a transaction may be later than one above it; 0 if absent. */
  readonly disorder?: number
  /** The chain of a transaction and its block there. Absent if the network has one chain. */
  readonly blockOf?: (transaction: Transaction) => { readonly chain: string; readonly block: Height }
}
