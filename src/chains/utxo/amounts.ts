import * as Schema from "effect/Schema"
import { Height } from "../../domain/units.ts"

/** Base units as a bare JSON number; beyond 2^53 the exact JSON parser returns a bigint. */
export const Units = Schema.transform(Schema.Union(Schema.Int, Schema.BigIntFromSelf), Schema.BigIntFromSelf, {
  strict: true,
  decode: BigInt,
  encode: (units) => units
})

/** Base units as a string of digits. */
export const UnitsText = Schema.transform(Schema.String.pipe(Schema.pattern(/^-?\d+$/)), Schema.BigIntFromSelf, {
  strict: true,
  decode: BigInt,
  encode: String
})

export const Count = Schema.Int.pipe(Schema.nonNegative())

export const BlockHeight = Schema.compose(Count, Height)
