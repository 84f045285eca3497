import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Part } from "../domain/Breakdown.ts"
import type { Unread } from "./Chain.ts"

/** Parts of a native balance in base units; a part that is not known is absent. */
export interface BalanceParts extends Readonly<Partial<Record<Part, bigint>>> {}

/** A native balance and its parts, from one reading: their sum is right as the network's rule has it. */
export interface DetailedBalance {
  /** The balance of the native coin, as a holding has it. */
  readonly amount: bigint
  readonly parts: BalanceParts
  /** Why the parts that are not known could not be read. */
  readonly missing?: Unread
}

/** Reads the parts of balances that need calls of their own. */
export interface BreakdownReader {
  /** The parts that it reads of every address. */
  readonly parts: ReadonlyArray<Part>
  /** Whether the amount is the sum of a list, which must be what the holding has. */
  readonly isSum?: true
  /** In the order of the addresses (in canonical form), at most `batchSize` of the network. Cannot fail as a whole. */
  readonly read: (
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<DetailedBalance, Unread>>>
}

/** All of a balance can be spent, as far as holdings do not break it down themselves: no call is needed. */
export const whole = "whole"

export type Breakdowns = typeof whole | BreakdownReader
