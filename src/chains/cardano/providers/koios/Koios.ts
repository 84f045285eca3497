import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cardano } from "../../../../catalogue/cardano.ts"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import type { EpochJson } from "../../../Chain.ts"
import { isStake } from "../../CardanoAddress.ts"
import { nameOf, policyOf } from "../../CardanoAsset.ts"
import { Decimals, Hash, Quantity } from "../../formats.ts"
import { Parameters as AllParameters, alike, Block as NewestBlock, quantities, thresholds } from "../../Parameters.ts"
import { type CardanoProvider, type Metadata, notUnderstood } from "../../Provider.ts"
import * as SubmitApi from "../../SubmitApi.ts"
import * as KoiosBalances from "./KoiosBalances.ts"
import * as KoiosHistory from "./KoiosHistory.ts"
import * as KoiosUnspent from "./KoiosUnspent.ts"

// Koios' `epoch_params`, `tip` and `block_info` in the names and types of Blockfrost's `/epochs/latest/parameters` and
// `/blocks/latest`. Values that Koios does not return are null.

/** Integers of 64 bits whose digits must be preserved. */
const Price = Schema.Union(Schema.Int, Schema.BigIntFromSelf.pipe(Schema.betweenBigInt(-(2n ** 63n), 2n ** 63n - 1n)))

/** Prices of scripts by language, in the order of the ledger. */
const ByLanguage = Schema.Record({ key: Schema.String, value: Schema.Array(Price) })

/** JSON, or a string that contains JSON. */
const CostModels = Schema.Union(ByLanguage, Schema.parseJson(ByLanguage))

/** In the order of the languages' names. */
const sorted = (byLanguage: typeof CostModels.Type) =>
  Object.fromEntries(Object.entries(byLanguage).sort(([text], [other]) => (text < other ? -1 : 1)))

/** JSON that preserves all digits of integers. */
const written = <A extends { readonly epoch: number }>(row: A): EpochJson => ({
  epoch: row.epoch,
  json: JSON.stringify(row, (_, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(String(member)) : member
  )
})

const [areParameters, isBlock] = [Schema.is(AllParameters, { exact: false }), Schema.is(NewestBlock, { exact: false })]
const finite = Schema.Number.pipe(Schema.finite())
const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
const Count = Schema.Int.pipe(Schema.nonNegative())
const Digits = Schema.transform(Quantity, Schema.String, { strict: true, decode: String, encode: BigInt })

/** A field that has another name in Koios' response. */
const from = <const Name extends string, A, I>(name: Name, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(name))

/** Null before Conway. */
const required = [...thresholds, "min_fee_ref_script_cost_per_byte"] as const

/** Null in past epochs without scripts. */
const EpochParameters = Schema.Struct({
  epoch: from("epoch_no", Count),
  min_fee_a: Count,
  min_fee_b: Count,
  max_block_size: Count,
  max_tx_size: Count,
  max_block_header_size: from("max_bh_size", Count),
  key_deposit: Digits,
  pool_deposit: Digits,
  e_max: from("max_epoch", Count),
  n_opt: from("optimal_pool_count", Count),
  a0: from("influence", finite),
  rho: from("monetary_expand_rate", finite),
  tau: from("treasury_growth_rate", finite),
  decentralisation_param: from("decentralisation", finite),
  extra_entropy: orNull(Schema.String),
  protocol_major_ver: from("protocol_major", Count),
  protocol_minor_ver: from("protocol_minor", Count),
  min_pool_cost: Digits,
  /** Available some minutes after the start of an epoch; no transaction needs it. */
  nonce: orNull(Schema.String),
  cost_models_raw: from("cost_models", CostModels),
  price_mem: finite,
  price_step: finite,
  max_tx_ex_mem: Digits,
  max_tx_ex_steps: Digits,
  max_block_ex_mem: Digits,
  max_block_ex_steps: Digits,
  max_val_size: Digits,
  collateral_percent: Count,
  max_collateral_inputs: Count,
  coins_per_utxo_size: Digits,
  ...alike(required, orNull(finite)),
  ...alike(quantities, orNull(Digits))
})

/** Conway, the first era in which all of its fields are required. */
const conway = 9

const Parameters = Schema.NonEmptyArray(EpochParameters.pipe(Schema.filter(areParameters))).pipe(
  Schema.filter(
    ([row]) =>
      row.protocol_major_ver < conway || [...required, ...quantities].every((name) => row[name] !== null) || "nulls"
  )
)

const toParameters = ([row]: typeof Parameters.Type): EpochJson =>
  written({
    ...row,
    // The minimum value per output ended with Alonzo: since then Blockfrost returns the price per byte instead.
    min_utxo: row.coins_per_utxo_size,
    coins_per_utxo_word: row.coins_per_utxo_size,
    // Koios does not return the names of the prices, which change with each hard fork.
    cost_models: null,
    cost_models_raw: sorted(row.cost_models_raw),
    pvt_p_p_security_group: row.pvtpp_security_group
  })

const Tip = Schema.NonEmptyArray(
  Schema.Struct({
    hash: Hash,
    height: from("block_no", Schema.compose(Count, Height)),
    time: from("block_time", Schema.compose(Count, Seconds))
  })
)

const Block = Schema.NonEmptyArray(
  Schema.Struct({
    time: from("block_time", Count),
    height: from("block_height", Count),
    hash: Hash,
    slot: from("abs_slot", Count),
    epoch: from("epoch_no", Count),
    epoch_slot: Count,
    slot_leader: orNull(Schema.String).pipe(Schema.fromKey("pool")),
    size: from("block_size", Count),
    tx_count: Count,
    output: orNull(Digits).pipe(Schema.fromKey("total_output")),
    fees: orNull(Digits).pipe(Schema.fromKey("total_fees")),
    block_vrf: orNull(Schema.String).pipe(Schema.fromKey("vrf_key")),
    op_cert: orNull(Schema.String),
    op_cert_counter: orNull(Digits),
    previous_block: orNull(Hash).pipe(Schema.fromKey("parent_hash")),
    next_block: orNull(Hash).pipe(Schema.fromKey("child_hash")),
    confirmations: orNull(Count).pipe(Schema.fromKey("num_confirmations"))
  }).pipe(Schema.filter(isBlock))
)

/** The newest epoch's parameters, and the newest block, which takes two calls. */
const parametersOf = (
  upstream: Upstream.Upstream,
  tip: Effect.Effect<(typeof Tip.Type)[0], UpstreamError>
): Pick<CardanoProvider, "parameters" | "block"> => ({
  parameters: Effect.map(
    upstream.read(
      HttpClientRequest.get("/epoch_params").pipe(
        HttpClientRequest.setUrlParams({ order: "epoch_no.desc", limit: "1" })
      ),
      Parameters
    ),
    toParameters
  ),
  block: Effect.flatMap(tip, ({ hash }) =>
    upstream.over((address) =>
      address.read(
        HttpClientRequest.post("/block_info").pipe(HttpClientRequest.bodyUnsafeJson({ _block_hashes: [hash] })),
        (answer) =>
          Either.map(
            Either.filterOrLeft(
              ResponseDecoder.fitting(Block, { exact: true })(answer),
              ([row]) => row.hash === hash,
              (): Fault => ({ reason: "bad_answer", detail: "returned data of a block that was not requested" })
            ),
            ([row]) => written(row)
          )
      )
    )
  )
})

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
const assetsPerCall = Math.floor((KoiosBalances.bodyBytes - JSON.stringify({ _asset_list: [] }).length + 1) / 127)

/** Batches concurrent look-ups into one call, which continues if one of its callers is interrupted. */
const metadataFrom = (upstream: Upstream.Upstream): CardanoProvider["metadata"] => {
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
  const row = rows.find((listed) => KoiosBalances.unitOf(listed) === unit)
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

  const find: CardanoProvider["find"] = (id) => {
    const request = HttpClientRequest.post("/tx_cbor").pipe(HttpClientRequest.bodyUnsafeJson({ _tx_hashes: [id] }))
    return upstream.over((address) => address.read(request, SubmitApi.inRows(id)))
  }
  const send = SubmitApi.sending(upstream, "/submittx")
  const { name, standing } = upstream
  const tip = Effect.map(upstream.read(HttpClientRequest.get("/tip"), Tip), ([row]) => row)
  return {
    name,
    standing,
    balances: KoiosBalances.make(upstream),
    metadata: metadataFrom(upstream),
    unspent: KoiosUnspent.unspent(upstream, confirmUse),
    history: KoiosHistory.make(upstream, rate ?? KoiosHistory.granted.keyless, confirmUse),
    transaction: KoiosHistory.transaction(upstream),
    send,
    find,
    lookUp: KoiosHistory.lookUp(upstream),
    fault: upstream.fault,
    ...parametersOf(upstream, tip),
    head: tip
  } satisfies CardanoProvider as CardanoProvider
})
