import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cardano } from "../../../catalogue/cardano.ts"
import * as declare from "../../../settings/declare.ts"
import * as Budget from "../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { isStake } from "../CardanoAddress.ts"
import { nameOf, policyOf } from "../CardanoAsset.ts"
import * as RawTransactions from "../RawTransactions.ts"
import { bodyBytes, type CardanoSource, Decimals, type Metadata, notUnderstood } from "../Source.ts"
import * as KoiosBalances from "./KoiosBalances.ts"
import * as KoiosHistory from "./KoiosHistory.ts"
import * as KoiosParameters from "./KoiosParameters.ts"

// Koios API v1 (api.koios.rest), based on PostgREST: an object that does not exist has no row.

/** A row of `asset_info`. */
const AssetInfo = Schema.Struct({
  token_registry_metadata: Schema.NullishOr(
    Schema.Struct({
      name: Schema.NullishOr(Schema.String),
      ticker: Schema.NullishOr(Schema.String),
      decimals: Schema.NullishOr(Decimals)
    })
  ),
  cip68_metadata: Schema.NullishOr(Schema.Unknown)
})

/** The rows of `asset_info`, each with the asset that it describes. */
const AssetInfos = Schema.Array(
  Schema.Struct(
    { policy_id: Schema.String, asset_name: Schema.NullOr(Schema.String) },
    Schema.Record({ key: Schema.String, value: Schema.Unknown })
  )
)

// Metadata in a datum of the asset (CIP-68): a map whose keys and texts are bytes in hexadecimal digits.

const Entry = Schema.Struct({ k: Schema.Struct({ bytes: Schema.String }), v: Schema.Struct({ int: Schema.Int }) })

const Datum = Schema.optional(Schema.Struct({ fields: Schema.NonEmptyArray(Schema.Unknown) }))

/** By label: 333 for fungible tokens, 444 for rich fungible tokens. */
const Datums = Schema.Struct({ "333": Datum, "444": Datum })
const fields = Schema.decodeUnknownOption(Datums)
const entries = Schema.decodeUnknownOption(Schema.Struct({ map: Schema.Array(Schema.Unknown) }))
const entry = Schema.decodeUnknownOption(Entry)

/** `decimals` */
const key = "646563696d616c73"

/** The decimals that a fungible token declares; undefined if it declares none. */
export const cip68Decimals = (metadata: unknown): number | undefined =>
  Option.getOrUndefined(
    Option.flatMap(fields(metadata), (byLabel) =>
      Option.flatMap(entries((byLabel["333"] ?? byLabel["444"])?.fields[0]), ({ map }) =>
        Option.fromNullable(
          map
            .flatMap((each) => Option.toArray(entry(each)))
            .find(({ k, v }) => k.bytes === key && v.int >= 0 && v.int <= 255)?.v.int
        )
      )
    )
  )

const Tip = Schema.NonEmptyArray(Schema.Struct({ block_time: Schema.Number }))

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "KOIOS_URL",
    default: cardano.indexers.koios,
    meaning: "Base address of Koios (Cardano)"
  })
  return yield* Upstream.make({
    name: "koios",
    urls: [url],
    size: ResponseSize.rows,
    exact: true,
    rate: KoiosHistory.granted,
    canary: (address) => address.read(HttpClientRequest.get("/tip"), ResponseDecoder.fitting(Tip))
  })
})

/** Assets per call: as many as fit into a body with the longest names. */
const assetsPerCall = Math.floor((bodyBytes - JSON.stringify({ _asset_list: [] }).length + 1) / 127)

/** Batches concurrent look-ups into one call, which continues if one of its callers is interrupted. */
const metadataFrom = (upstream: Upstream.Upstream): CardanoSource["metadata"] => {
  interface Batch {
    readonly units: Array<string>
    readonly rows: Deferred.Deferred<typeof AssetInfos.Type, UpstreamError>
  }
  let pending: Batch | undefined

  const sent = (batch: Batch) =>
    Effect.suspend(() => {
      if (pending === batch) pending = undefined
      const body = { _asset_list: batch.units.map((unit) => [policyOf(unit), nameOf(unit)]) }
      const request = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/asset_info"), body)
      return Deferred.complete(batch.rows, upstream.read(request, AssetInfos))
    })

  return (unit) =>
    Effect.suspend(() => {
      const batch = pending ?? { units: [], rows: Deferred.unsafeMake(FiberId.none) }
      batch.units.push(unit)
      const isFirst = batch !== pending
      pending = batch.units.length < assetsPerCall ? batch : undefined
      const send = isFirst ? Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), sent(batch))) : Effect.void
      return Effect.uninterruptible(send).pipe(
        Effect.zipRight(Deferred.await(batch.rows)),
        Effect.flatMap((rows) => metadataIn(upstream, rows, unit))
      )
    })
}

const assetInfo = Schema.decodeUnknownOption(AssetInfo)

/** From the token registry first, then from the ledger (CIP-68). An unreadable row affects only its asset. */
const metadataIn = (
  { fault }: Upstream.Upstream,
  rows: typeof AssetInfos.Type,
  unit: string
): Either.Either<Metadata | undefined, UpstreamError> => {
  const row = rows.find(({ asset_name, policy_id }) => policy_id + (asset_name ?? "") === unit)
  if (row === undefined) return Either.right(undefined)
  return Option.match(assetInfo(row), {
    onNone: () => Either.left(fault(notUnderstood)),
    onSome: ({ cip68_metadata, token_registry_metadata: registered }) =>
      Either.right({
        decimals: registered?.decimals ?? cip68Decimals(cip68_metadata),
        name: registered?.name ?? "",
        symbol: registered?.ticker ?? ""
      })
  })
}

/** The public service, without a key. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect

  /** Fails if Koios has no rows for an address in use: then an empty response does not mean an unused address. */
  const confirmUse = (address: string) => {
    const kind = isStake(address) ? KoiosBalances.accounts : KoiosBalances.payments
    return Effect.filterOrFail(
      KoiosBalances.coins(upstream, kind, [kind.usedAddress]),
      (rows) => rows.length > 0,
      () => upstream.fault(KoiosBalances.emptyForUsed)
    )
  }
  const rate = yield* Budget.configured(KoiosHistory.granted, false)

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
    metadata: metadataFrom(upstream),
    unspent: KoiosBalances.unspent(upstream, confirmUse),
    history: KoiosHistory.make(upstream, rate ?? KoiosHistory.granted.keyless, confirmUse),
    send,
    find,
    lookUp: KoiosHistory.lookUp(upstream),
    fault: upstream.fault,
    ...parameters
  } satisfies CardanoSource as CardanoSource
})
