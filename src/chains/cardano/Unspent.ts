import * as Schema from "effect/Schema"
import type { CardanoOutput } from "../../domain/transactionContext/CardanoContext.ts"
import { AssetList } from "./koios/koiosRows.ts"
import { Hash, Hex, Lovelace, Quantity } from "./Source.ts"

/** Unspent outputs, and whether the source has more than it returned. */
export interface CardanoUnspent {
  readonly outputs: ReadonlyArray<CardanoOutput>
  readonly more: boolean
}

/** Maximum outputs read per address, of which the largest are returned. */
export const maxOutputs = 2_000

/** The index of an output in its transaction. */
const Index = Schema.Int.pipe(Schema.between(0, 65_535))

const Script = Schema.NullishOr(Schema.Struct({ hash: Schema.String }))

/** Rows of Koios' `address_utxos` and `account_utxos` with `_extended`. */
export const KoiosOutputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    tx_index: Index,
    address: Schema.String,
    value: Lovelace,
    datum_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Schema.Struct({ bytes: Hex })),
    reference_script: Script,
    asset_list: AssetList,
    is_spent: Schema.optional(Schema.Boolean)
  })
)

export const fromKoios = (rows: typeof KoiosOutputs.Type): ReadonlyArray<CardanoOutput> =>
  rows
    .filter(({ is_spent }) => is_spent !== true)
    .map((row) => ({
      txHash: row.tx_hash,
      index: row.tx_index,
      address: row.address,
      lovelace: String(row.value),
      assets: (row.asset_list ?? []).map(({ asset_name, policy_id, quantity }) => ({
        unit: policy_id + (asset_name ?? ""),
        quantity: String(quantity)
      })),
      datumHash: row.datum_hash ?? null,
      inlineDatum: row.inline_datum?.bytes ?? null,
      referenceScript: row.reference_script?.hash ?? null
    }))

/** Rows of Blockfrost's `/addresses/{address}/utxos` and `/accounts/{account}/utxos`. */
export const BlockfrostOutputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    output_index: Index,
    address: Schema.String,
    amount: Schema.Array(Schema.Struct({ unit: Schema.String, quantity: Quantity })).pipe(
      Schema.filter((amounts) => amounts.filter(({ unit }) => unit === "lovelace").length === 1)
    ),
    data_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Hex),
    reference_script_hash: Schema.NullishOr(Schema.String)
  })
)

export const fromBlockfrost = (rows: typeof BlockfrostOutputs.Type): ReadonlyArray<CardanoOutput> =>
  rows.map((row) => ({
    txHash: row.tx_hash,
    index: row.output_index,
    address: row.address,
    lovelace: String(row.amount.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n),
    assets: row.amount.flatMap(({ quantity, unit }) =>
      unit === "lovelace" ? [] : [{ unit, quantity: String(quantity) }]
    ),
    datumHash: row.data_hash ?? null,
    inlineDatum: row.inline_datum ?? null,
    referenceScript: row.reference_script_hash ?? null
  }))

/** Joins pages; undefined if an output is on two pages, because others may be missing then. */
export const joined = (
  pages: ReadonlyArray<ReadonlyArray<CardanoOutput>>
): ReadonlyArray<CardanoOutput> | undefined => {
  const all = pages.flat()
  return new Set(all.map(({ index, txHash }) => `${txHash}#${index}`)).size < all.length ? undefined : all
}
