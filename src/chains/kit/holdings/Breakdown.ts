import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Part } from "../../../domain/Breakdown.ts"
import type { ReadFailure } from "../../Chain.ts"

/** Parts of a native balance in base units; unknown parts are absent. */
export interface BalanceParts extends Readonly<Partial<Record<Part, bigint>>> {}

/** A native balance and its parts from one reading; they fit the network's rule for their sum. */
export interface DetailedBalance {
  /** Balance of the native coin, equal to the amount of its holding. */
  readonly amount: bigint
  readonly parts: BalanceParts
  /** Why some parts could not be read. */
  readonly missing?: ReadFailure
}

/** Reads the parts of balances that need separate calls. */
export interface BreakdownReader {
  /** The parts that it reads for every address. */
  readonly parts: ReadonlyArray<Part>
  /** Whether the amount is summed from a list; it must then equal the amount of the holding. */
  readonly isSum?: true
  /** In the order of the addresses (canonical form, at most `batchSize`). Cannot fail as a whole. */
  readonly read: (
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<DetailedBalance, ReadFailure>>>
}

/** The whole balance is spendable, except for parts that holdings already contain: no call is needed. */
export const fullySpendable = "whole"

export type Breakdowns = typeof fullySpendable | BreakdownReader
