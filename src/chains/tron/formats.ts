import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { uint256 } from "../kit/holdings/amounts.ts"

/** A non-negative integer, at most the total supply. */
export const Sun = Schema.transform(
  Schema.Union(Schema.Int.pipe(Schema.nonNegative()), Schema.NonNegativeBigIntFromSelf),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: (sun) => sun }
).pipe(Schema.filter((sun) => sun <= tron.supply))

/** As {@link Sun}; protobuf omits zero. */
export const SunOrZero = Schema.optionalWith(Sun, { default: () => 0n })

/** Base units of a TRC-20 token in decimal digits. */
export const TokenUnits = Schema.String.pipe(
  Schema.pattern(/^\d{1,78}$/),
  Schema.filter((text) => BigInt(text) <= uint256)
)

/** `{}` in place of a missing object, such as an account that was never activated. */
const Absent = Schema.transform(Schema.Record({ key: Schema.String, value: Schema.Never }), Schema.Undefined, {
  strict: true,
  decode: () => undefined,
  encode: () => ({})
})

/** A response that is an empty object if the node does not have the requested thing. */
export const orAbsent = <A, I>(schema: Schema.Schema<A, I>) => Schema.Union(schema, Absent)
