import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cardano } from "../../../catalogue/cardano.ts"
import type { CardanoOutput } from "../../../domain/transactionContext/CardanoContext.ts"
import * as declare from "../../../settings/declare.ts"
import * as Budget from "../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import { isStake } from "../CardanoAddress.ts"
import { nameOf, policyOf } from "../CardanoAsset.ts"
import { cip68Decimals } from "../cip68.ts"
import * as RawTransactions from "../RawTransactions.ts"
import { type CardanoSource, pagesDiffer } from "../Source.ts"
import * as Unspent from "../Unspent.ts"
import * as KoiosBalances from "./KoiosBalances.ts"
import * as KoiosHistory from "./KoiosHistory.ts"
import * as KoiosParameters from "./KoiosParameters.ts"
import { accounts, payments } from "./kinds.ts"
import { AssetInfo } from "./koiosRows.ts"

// Koios API v1 (api.koios.rest), based on PostgREST: rows for what exists, none for what does not.

/** Rows per page. */
const pageSize = 1000

const Tip = Schema.NonEmptyArray(Schema.Struct({ block_time: Schema.Number }))

/** The public service, without a key. */
export const make = Effect.gen(function* () {
  const upstream = yield* Upstream.make({
    name: "koios",
    urls: [
      yield* declare.url({
        name: "KOIOS_URL",
        default: cardano.indexers.koios,
        meaning: "Base address of Koios (Cardano)"
      })
    ],
    concurrency: 8,
    size: ResponseSize.rows,
    exact: true,
    rate: KoiosHistory.granted,
    canary: (address) => address.read(HttpClientRequest.get("/tip"), ResponseDecoder.fitting(Tip))
  })

  const metadata: CardanoSource["metadata"] = (unit) =>
    Effect.map(
      upstream.read(
        HttpClientRequest.post("/asset_info").pipe(
          HttpClientRequest.bodyUnsafeJson({ _asset_list: [[policyOf(unit), nameOf(unit)]] })
        ),
        AssetInfo
      ),
      (rows) => {
        const row = rows.find(({ asset_name, policy_id }) => policy_id + (asset_name ?? "") === unit)
        if (row === undefined) return undefined
        const registered = row.token_registry_metadata
        return {
          decimals: registered?.decimals ?? cip68Decimals(row.cip68_metadata),
          name: registered?.name ?? "",
          symbol: registered?.ticker ?? ""
        }
      }
    )

  /** An address without rows may be unused, or the service may return nothing of any. */
  const confirmUse = (address: string) => {
    const kind = isStake(address) ? accounts : payments
    return Effect.filterOrFail(
      KoiosBalances.coins(upstream, kind, [kind.usedAddress]),
      (rows) => rows.length > 0,
      () => upstream.fault(KoiosBalances.emptyForUsed)
    )
  }
  const rate = yield* Budget.configured(KoiosHistory.granted, false)
  const history = KoiosHistory.make(upstream, rate ?? KoiosHistory.granted.keyless, confirmUse)

  const unspent: CardanoSource["unspent"] = (requested) =>
    Effect.gen(function* () {
      const kind = isStake(requested) ? accounts : payments
      const pages: Array<ReadonlyArray<CardanoOutput>> = []
      for (let offset = 0; offset < Unspent.maxOutputs; offset += pageSize) {
        const request = HttpClientRequest.post(kind.unspent).pipe(
          HttpClientRequest.setUrlParams({
            order: "tx_hash,tx_index",
            limit: String(pageSize),
            offset: String(offset)
          }),
          HttpClientRequest.bodyUnsafeJson({ [kind.list]: [requested], _extended: true })
        )
        const rows = yield* upstream.read(request, Unspent.KoiosOutputs)
        pages.push(Unspent.fromKoios(rows))
        const outputs = Unspent.joined(pages)
        if (outputs === undefined) return yield* upstream.fault(pagesDiffer)
        if (kind === payments && outputs.some(({ address }) => address !== requested))
          return yield* upstream.fault({ reason: "bad_answer", detail: "returned addresses that were not requested" })
        if (rows.length < pageSize) {
          if (outputs.length === 0) yield* confirmUse(requested)
          return { outputs, more: false }
        }
      }
      return { outputs: pages.flat(), more: true }
    })

  const find: CardanoSource["find"] = (id) => {
    const request = HttpClientRequest.post("/tx_cbor").pipe(HttpClientRequest.bodyUnsafeJson({ _tx_hashes: [id] }))
    return upstream.over((address) => address.read(request, RawTransactions.inRows(id)))
  }
  const send = RawTransactions.sending(upstream, "/submittx")
  const { name, standing } = upstream
  const parameters = KoiosParameters.make(upstream)
  return {
    name,
    standing,
    balances: KoiosBalances.make(upstream),
    metadata,
    unspent,
    history,
    send,
    find,
    ...parameters
  } satisfies CardanoSource as CardanoSource
})
