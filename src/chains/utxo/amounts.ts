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

/** The hash of a transaction or block. */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

export const Count = Schema.Int.pipe(Schema.nonNegative())

export const BlockHeight = Schema.compose(Count, Height)

/** The transaction of an output that an input of new coins spends: none. */
const noTransaction = "0".repeat(64)

/** Whether an input makes coins if it says so, and spends an output if not. */
export const isConsistent = (isCoinbase: boolean, spent: string): boolean => isCoinbase === (spent === noTransaction)
