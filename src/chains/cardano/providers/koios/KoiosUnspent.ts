import * as Effect from "effect/Effect"
import type { CardanoOutput } from "../../../../domain/TransactionContext.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { isStake } from "../../CardanoAddress.ts"
import { scriptSize } from "../../formats.ts"
import type { CardanoProvider } from "../../Provider.ts"
import { maxOutputs, readPages } from "../readPages.ts"
import * as calls from "./calls.ts"
import { unitOf } from "./KoiosAsset.ts"

const fromKoios = (rows: typeof calls.addressUtxos.response.Type): ReadonlyArray<CardanoOutput> =>
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

/** Reads the outputs page by page; `confirmUse` fails if an empty list may be a wrong response. */
export const unspent =
  (
    upstream: Upstream,
    confirmUse: (address: string) => Effect.Effect<unknown, UpstreamError>
  ): CardanoProvider["unspent"] =>
  (requested) => {
    const read = Call.reading(upstream, { exact: true })
    const call = isStake(requested) ? calls.accountUtxos : calls.addressUtxos
    return readPages(
      upstream,
      calls.pageSize,
      (index) => read(call, { address: requested, index }),
      ({ tx_hash, tx_index }) => `${tx_hash}#${tx_index}`,
      maxOutputs
    ).pipe(
      Effect.map(({ more, rows }) => ({ more, outputs: fromKoios(rows) })),
      Effect.tap(({ more, outputs }) => (more || outputs.length > 0 ? Effect.void : confirmUse(requested)))
    )
  }
