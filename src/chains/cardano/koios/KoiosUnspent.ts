import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CardanoOutput } from "../../../domain/transactionContext/CardanoContext.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { isStake } from "../CardanoAddress.ts"
import { type CardanoSource, Hash, Hex, Lovelace } from "../Source.ts"
import * as Unspent from "../Unspent.ts"
import { type AddressKind, accounts, payments } from "./kinds.ts"
import { AssetList } from "./koiosRows.ts"

/** Rows of Koios' `address_utxos` and `account_utxos` with `_extended`. */
const KoiosOutputs = Schema.Array(
  Schema.Struct({
    tx_hash: Hash,
    tx_index: Unspent.Index,
    address: Schema.String,
    value: Lovelace,
    datum_hash: Schema.NullishOr(Schema.String),
    inline_datum: Schema.NullishOr(Schema.Struct({ bytes: Hex })),
    reference_script: Schema.NullishOr(Schema.Struct({ hash: Schema.String })),
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
      assets: (row.asset_list ?? []).map(({ asset_name, policy_id, quantity }) => ({
        unit: policy_id + (asset_name ?? ""),
        quantity: String(quantity)
      })),
      datumHash: row.datum_hash ?? null,
      inlineDatum: row.inline_datum?.bytes ?? null,
      referenceScript: row.reference_script?.hash ?? null
    }))

/** Rows per page. */
const pageSize = 1000

const page = (kind: AddressKind, requested: string, index: number) =>
  HttpClientRequest.post(kind.unspent).pipe(
    HttpClientRequest.setUrlParams({
      order: "tx_hash,tx_index",
      limit: String(pageSize),
      offset: String(index * pageSize)
    }),
    HttpClientRequest.bodyUnsafeJson({ [kind.list]: [requested], _extended: true })
  )

/** Reads the outputs page by page; `confirmUse` fails if an empty list may be a wrong response. */
export const make =
  (
    upstream: Upstream,
    confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
  ): CardanoSource["unspent"] =>
  (requested) => {
    const kind = isStake(requested) ? accounts : payments
    return Effect.tap(
      Unspent.readPages(
        upstream,
        pageSize,
        (index) => upstream.read(page(kind, requested, index), KoiosOutputs),
        fromKoios
      ),
      ({ more, outputs }) => (more || outputs.length > 0 ? Effect.void : confirmUse(requested))
    )
  }
