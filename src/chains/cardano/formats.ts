import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"

// Values in the responses of all providers.

/** Quantities reach 2^63 and are strings or numbers; all digits of numbers must be preserved. */
export const Quantity = Schema.transform(
  Schema.Union(
    Schema.String.pipe(Schema.pattern(/^\d{1,40}$/)),
    Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER)),
    Schema.NonNegativeBigIntFromSelf
  ),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: String }
)

/** An amount of ADA. */
export const Lovelace = Quantity.pipe(Schema.filter((amount) => amount <= cardano.supply))

/** Whether amounts of Blockfrost contain the coins, at most the total supply. */
export const hasCoins = (amounts: ReadonlyArray<{ readonly unit: string; readonly quantity: bigint }>): boolean => {
  const coins = amounts.filter(({ unit }) => unit === "lovelace")
  return coins.length > 0 && coins.every(({ quantity }) => quantity <= cardano.supply)
}

/** A deposit: paid with a registration, and returned when the registration ends. */
export const Deposit = Schema.transform(
  Schema.Union(Schema.String.pipe(Schema.pattern(/^-?\d{1,20}$/)), Schema.Int),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: String }
)

/** The id of a transaction. */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

/** The bytes of a transaction. */
export const Cbor = Schema.String.pipe(Schema.pattern(/^[0-9a-f]+$/))

/** Asset names and policies. */
export const Hex = Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/))

export const Decimals = Schema.Int.pipe(Schema.between(0, 255))

/** The size of a script; null if it is not plausible: a transaction may use at most 200 kB of them. */
export const scriptSize = (size: unknown): number | null =>
  typeof size === "number" && Number.isInteger(size) && size > 0 && size <= 204_800 ? size : null

/** The index of an output in its transaction. */
export const Index = Schema.Int.pipe(Schema.between(0, 65_535))

/** The supply of an asset in decimal digits; empty if it cannot be read. */
export const supplyIn = (text: unknown): { readonly supply?: bigint } =>
  typeof text === "string" && /^\d{1,30}$/.test(text) ? { supply: BigInt(text) } : {}
