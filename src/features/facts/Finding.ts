import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Schema from "effect/Schema"

/** A fact in the catalogue and on the chain. */
export interface Finding {
  readonly fact: string
  readonly catalogue: string | null
  readonly chain: string
  /** Null if the chain does not say it; `chain` is then the reason. */
  readonly holds: boolean | null
}

/** Calls a method of a node; left is why there is no result, in words. */
export type Ask = <A, I>(
  method: string,
  params: ReadonlyArray<unknown>,
  schema: Schema.Schema<A, I>
) => Effect.Effect<Either.Either<A, string>>

export const unread = (fact: string, why: string): Finding => ({ fact, catalogue: null, chain: why, holds: null })

export const seconds = (count: number): string => `${Number(count.toPrecision(3))} s`

/** Part by which a measured time may differ from that of the facts. */
const tolerance = 0.25

export const isNear = (measured: number, expected: number): boolean => Math.abs(measured / expected - 1) <= tolerance
