import * as Schema from "effect/Schema"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../fields.ts"
import type { Reason } from "../Reason.ts"
import { familyFields as fields } from "./fields.ts"

/** How soon a transaction is to be in a block. */
export const levelNames = ["slow", "standard", "fast"] as const
export type LevelName = (typeof levelNames)[number]

/** What every level has, whatever the network. */
export const levelFields = {
  seconds: numberOrNull(
    "After about how long a transaction of this level is in a block, seconds, by the usual time between blocks. Null where that is not known.",
    12
  ),
  transferFeeBaseUnits: textOrNull(
    "What the example transfer costs at this level, base units (wei, satoshi …).",
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
    /** What the example transfer is, for people. */
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

/** What transactions cost on a network, in its own terms. A number that could not be read is null. */
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

/** The same by family. */
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

/** One level of them. */
export type LevelOf<Family extends FeeFamily> = ByFamily[Family]["levels"][LevelName]

/** What a wallet puts into a transaction of this family. */
export type RatesOf<Family extends FeeFamily> = Omit<LevelOf<Family>, keyof typeof levelFields>

/** Why something is missing. */
export interface MissingFee {
  readonly reason: Reason
  readonly message: string
}

const nulls = (names: Schema.Struct.Fields) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, field]) => (Schema.isPropertySignature(field) ? [] : [[name, null]]))
  )

export const isFeeFamily = (family: string): family is FeeFamily => Object.hasOwn(fields, family)

/** A level without a number. */
export const missingLevel = <Family extends FeeFamily>(family: Family, { message, reason }: MissingFee) =>
  ({
    ...nulls(fields[family].rates),
    seconds: null,
    transferFeeBaseUnits: null,
    error: message,
    errorCode: reason
  }) as unknown as LevelOf<Family>

/** Fees of which no number could be read. */
export const missingFees = <Family extends FeeFamily>(family: Family, missing: MissingFee) => {
  const level = missingLevel(family, missing)
  return {
    family,
    levels: { slow: level, standard: level, fast: level },
    basis: nulls(fields[family].basis),
    transfer: "a plain transfer of the native coin"
  } as unknown as FeesOf<Family>
}

/** What an address may use without paying for it. */
export const AccountResources = Schema.Struct({
  address: text("The address, as the request gave it.", "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"),
  freeBandwidth: numberOrNull("Bytes left of what every active account has free each day.", 600),
  stakedBandwidth: numberOrNull("Bytes left of what the account's stake gives it.", 0),
  stakedEnergy: numberOrNull("Energy left of what the account's stake gives it.", 0),
  error: optional(text("Why the numbers are null, for people.", "trongrid: timed out")),
  errorCode: optional(errorCode)
}).annotations({
  identifier: "AccountResources",
  description:
    "What an address may use without paying for it. A transaction takes bandwidth from one of the two as a whole, or is paid for as a whole."
})
export type AccountResources = typeof AccountResources.Type
