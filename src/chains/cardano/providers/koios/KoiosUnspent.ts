import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CardanoOutput } from "../../../../domain/TransactionContext.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { isStake } from "../../CardanoAddress.ts"
import { Hash, Hex, Index, Lovelace, scriptSize } from "../../formats.ts"
import type { CardanoProvider } from "../../Provider.ts"
import { maxOutputs, readPages } from "../readPages.ts"
import { type AddressKind, AssetList, accounts, pageSize, payments, unitOf } from "./KoiosBalances.ts"

/** Rows of Koios' `address_utxos` and `account_utxos` with `_extended`. */
const KoiosOutputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    tx_index: Index,
    address: Schema.String,
    value: Lovelace,
    datum_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Schema.Struct({ bytes: Hex })),
    reference_script: Schema.NullishOr(Schema.Struct({ hash: Schema.String, size: Schema.optional(Schema.Unknown) })),
    asset_list: AssetList,
    is_spent: Schema.optional(Schema.Boolean)
  })
)

const fromKoios = (rows: typeof KoiosOutputs.Type): ReadonlyArray<CardanoOutput> =>
  rows
    .filter(({ is_spent }) => is_spent !== true)
    .map((row) => ({
      txHash: row.tx_hash,
      index: row.tx_index,
      address: row.address,
      lovelace: String(row.value),
      assets: (row.asset_list ?? []).map((asset) => ({ unit: unitOf(asset), quantity: String(asset.quantity) })),
      datumHash: row.datum_hash ?? null,
      inlineDatum: row.inline_datum?.bytes ?? null,
      referenceScript: row.reference_script?.hash ?? null,
      referenceScriptSize: scriptSize(row.reference_script?.size)
    }))

const outputPage = (kind: AddressKind, requested: string, index: number) =>
  HttpClientRequest.post(kind.unspent).pipe(
    HttpClientRequest.setUrlParams({
      order: "tx_hash,tx_index",
      limit: String(pageSize),
      offset: String(index * pageSize)
    }),
    HttpClientRequest.bodyUnsafeJson({ [kind.list]: [requested], _extended: true })
  )

/** Reads the outputs page by page; `confirmUse` fails if an empty list may be a wrong response. */
export const unspent =
  (
    upstream: Upstream,
    confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
  ): CardanoProvider["unspent"] =>
  (requested) => {
    const kind = isStake(requested) ? accounts : payments
    return readPages(
      upstream,
      pageSize,
      (index) => upstream.read(outputPage(kind, requested, index), KoiosOutputs),
      ({ tx_hash, tx_index }) => `${tx_hash}#${tx_index}`,
      maxOutputs
    ).pipe(
      Effect.map(({ more, rows }) => ({ more, outputs: fromKoios(rows) })),
      Effect.tap(({ more, outputs }) => (more || outputs.length > 0 ? Effect.void : confirmUse(requested)))
    )
  }
