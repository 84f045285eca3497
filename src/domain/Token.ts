import * as Schema from "effect/Schema"
import { CoinId } from "./CoinId.ts"

/** A token of the registry. */
export const Token = Schema.Struct({
  /** Contract address in the canonical form of its network. */
  address: Schema.NonEmptyString,
  /** Absent for a token that is not in the registry: it has no price then. */
  coinId: Schema.optional(CoinId),
  name: Schema.String,
  symbol: Schema.String,
  decimals: Schema.Number,
  /** Icon URL; empty where none is known. */
  thumbnail: Schema.String
})
export type Token = typeof Token.Type
