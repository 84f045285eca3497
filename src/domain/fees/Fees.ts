import * as Schema from "effect/Schema"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../fields.ts"
import type { Reason } from "../Reason.ts"
import { familyFields as fields } from "./fields.ts"

/** How soon a transaction should be included in a block. */
export const levelNames = ["slow", "standard", "fast"] as const
export type LevelName = (typeof levelNames)[number]

/** Fields of every level, for all networks. */
export const levelFields = {
  seconds: numberOrNull(
    "Approximate time until a transaction of this level is included in a block, seconds, from the usual block time. Null if unknown.",
    12
  ),
  transferFeeBaseUnits: textOrNull(
    "Cost of the example transfer at this level, base units (wei, satoshi …).",
    "23100000000000"
  ),
  error: optional(text("Why a number is null, for people.", "no estimate for this level")),
  errorCode: optional(errorCode)
}

const fees = <Family extends string, Rates extends Schema.Struct.Fields, Basis extends Schema.Struct.Fields>(
  family: Family,
  { basis, rates }: { readonly rates: Rates; readonly basis: Basis }
) => {
  const level = Schema.Struct({ ...rates, ...levelFields })
  return Schema.Struct({
    family: Schema.Literal(family),
    levels: Schema.Struct({ slow: level, standard: level, fast: level }),
    basis: Schema.Struct(basis),
    /** Description of the example transfer, for people. */
    transfer: Schema.String
  })
}

export const EvmFees = fees("evm", fields.evm)
export const UtxoFees = fees("utxo", fields.utxo)
export const SolanaFees = fees("solana", fields.solana)
export const SuiFees = fees("sui", fields.sui)
export const CardanoFees = fees("cardano", fields.cardano)
export const RippleFees = fees("ripple", fields.ripple)
export const TronFees = fees("tron", fields.tron)
export const TonFees = fees("ton", fields.ton)
export const PolkadotFees = fees("polkadot", fields.polkadot)

/** Transaction fees of a network, in its native units. A number that could not be read is null. */
export const Fees = Schema.Union(
  EvmFees,
  UtxoFees,
  SolanaFees,
  SuiFees,
  CardanoFees,
  RippleFees,
  TronFees,
  TonFees,
  PolkadotFees
)
export type Fees = typeof Fees.Type

/** Types of fees by family. */
interface ByFamily {
  readonly evm: typeof EvmFees.Type
  readonly utxo: typeof UtxoFees.Type
  readonly solana: typeof SolanaFees.Type
  readonly sui: typeof SuiFees.Type
  readonly cardano: typeof CardanoFees.Type
  readonly ripple: typeof RippleFees.Type
  readonly tron: typeof TronFees.Type
  readonly ton: typeof TonFees.Type
  readonly polkadot: typeof PolkadotFees.Type
}

export type FeeFamily = keyof ByFamily

/** The fees of networks of one family. */
export type FeesOf<Family extends FeeFamily> = ByFamily[Family]

/** One fee level of networks of one family. */
export type LevelOf<Family extends FeeFamily> = ByFamily[Family]["levels"][LevelName]

/** The fields that a wallet sets in a transaction of this family. */
export type RatesOf<Family extends FeeFamily> = Omit<LevelOf<Family>, keyof typeof levelFields>

/** Why a fee is missing. */
export interface MissingFee {
  readonly reason: Reason
  readonly message: string
}

const nulls = (names: Schema.Struct.Fields) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, field]) => (Schema.isPropertySignature(field) ? [] : [[name, null]]))
  )

export const isFeeFamily = (family: string): family is FeeFamily => Object.hasOwn(fields, family)

/** A level whose numbers are all null. */
export const missingLevel = <Family extends FeeFamily>(family: Family, { message, reason }: MissingFee) =>
  ({
    ...nulls(fields[family].rates),
    seconds: null,
    transferFeeBaseUnits: null,
    error: message,
    errorCode: reason
  }) as unknown as LevelOf<Family>

/** Fees whose numbers are all null. */
export const missingFees = <Family extends FeeFamily>(family: Family, missing: MissingFee) => {
  const level = missingLevel(family, missing)
  return {
    family,
    levels: { slow: level, standard: level, fast: level },
    basis: nulls(fields[family].basis),
    transfer: "a plain transfer of the native coin"
  } as unknown as FeesOf<Family>
}

/** Resources that an address can use for free. */
export const AccountResources = Schema.Struct({
  address: text("The address, as written in the request.", "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"),
  freeBandwidth: numberOrNull("Remaining bytes of the daily free bandwidth of an active account.", 600),
  stakedBandwidth: numberOrNull("Remaining bytes of the bandwidth from the account's stake.", 0),
  stakedEnergy: numberOrNull("Remaining energy from the account's stake.", 0),
  error: optional(text("Why the numbers are null, for people.", "trongrid: timed out")),
  errorCode: optional(errorCode)
}).annotations({
  identifier: "AccountResources",
  description:
    "Resources that an address can use for free. A transaction takes all its bandwidth from one of the two, or pays for all of it."
})
export type AccountResources = typeof AccountResources.Type
