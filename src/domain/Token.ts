import * as Schema from "effect/Schema"
import { CoinId } from "./CoinId.ts"

/** Range of `decimals()` of a contract: one byte. */
export const Decimals = Schema.Int.pipe(Schema.between(0, 255))

/** A token of the registry. */
export const Token = Schema.Struct({
  /** Contract address in the canonical form of its network. */
  address: Schema.NonEmptyString,
  /** Absent for a token that is not in the registry: it has no price then. */
  coinId: Schema.optional(CoinId),
  name: Schema.String,
  symbol: Schema.String,
  decimals: Decimals,
  /** Icon URL; empty if unknown. */
  thumbnail: Schema.String
})
export type Token = typeof Token.Type
