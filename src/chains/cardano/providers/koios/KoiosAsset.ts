import { blake2b } from "@noble/hashes/blake2"
import { bech32 } from "@scure/base"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Decimals, Hex, Quantity } from "../../formats.ts"

// Assets in the format of all calls of Koios.

const asset = {
  policy_id: Hex.pipe(Schema.length(56)),
  /** Null or empty for an asset without a name. */
  asset_name: Schema.NullOr(Hex),
  fingerprint: Schema.NullishOr(Schema.String),
  quantity: Quantity
}

/** The fingerprint of an asset (CIP-14). */
export const fingerprintOf = (unit: string): string =>
  bech32.encode("asset", bech32.toWords(blake2b(Buffer.from(unit, "hex"), { dkLen: 20 })))

export const isOfFingerprint = ({ asset_name, fingerprint, policy_id }: NamedAsset): boolean =>
  fingerprint == null || fingerprint === fingerprintOf(unitOf({ asset_name, policy_id }))

/** The members of a row about a balance. */
export const AssetBalance = { ...asset, decimals: Schema.NullishOr(Decimals) }

export type KoiosBalance = Schema.Struct.Type<typeof AssetBalance>

/** The tokens of an output, in the format of all Koios endpoints. */
export const AssetList = Schema.NullishOr(
  Schema.Array(
    Schema.Struct({ ...asset, decimals: Schema.optional(Schema.Unknown) }).pipe(Schema.filter(isOfFingerprint))
  ).pipe(Schema.filter((rows) => new Set(rows.map(unitOf)).size === rows.length))
)

interface NamedAsset {
  readonly asset_name?: string | null | undefined
  readonly fingerprint?: string | null | undefined
  readonly policy_id: string
}

/** The unit of an asset, as Blockfrost writes it. */
export const unitOf = ({ asset_name, policy_id }: NamedAsset) => policy_id + (asset_name ?? "")

/** The unit of a row, which may have other members that cannot be read. */
export const keyOf = (row: unknown) => Option.map(named(row), unitOf)
const named = Schema.decodeUnknownOption(
  Schema.Struct({ policy_id: Schema.String, asset_name: Schema.NullishOr(Schema.String) })
)
