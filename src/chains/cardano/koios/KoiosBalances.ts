import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { blake2b } from "@noble/hashes/blake2"
import { bech32 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { CardanoOutput } from "../../../domain/TransactionContext.ts"
import { each } from "../../../kernel/each.ts"
import { readOnce } from "../../../kernel/madeOnce.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../amounts.ts"
import { isStake } from "../CardanoAddress.ts"
import {
  bodyBytes,
  type CardanoBalances,
  type CardanoSource,
  Decimals,
  Hash,
  Hex,
  Index,
  Lovelace,
  maxOutputs,
  nothing,
  Quantity,
  readPages,
  scriptSize
} from "../Source.ts"

// Koios API v1 (api.koios.rest): addresses and accounts have the same calls with different names.

/** `usedAddress` is an address in use, and its account: those of the example in the documentation. */
export const payments = {
  list: "_addresses",
  row: "address",
  info: "/address_info",
  assets: "/address_assets",
  unspent: "/address_utxos",
  usedAddress: "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7"
} as const
export const accounts = {
  list: "_stake_addresses",
  row: "stake_address",
  info: "/account_info",
  assets: "/account_assets",
  unspent: "/account_utxos",
  usedAddress: "stake1uy4jj73pfyejl4d2rs6nc70eykkhhu56p3y2rj2tdayfzeqnjyh0j"
} as const

/** All of these exist; the sandbox must have them too. */
export const usedAddresses: ReadonlyArray<string> = [payments.usedAddress, accounts.usedAddress]

type AddressKind = typeof payments | typeof accounts

/** Rows per page; a page that is not full is the last one. */
const pageSize = 1000

/** Maximum assets that are read in one list; anyone may send many to an address. */
const maxAssets = 20_000

const owner = (kind: AddressKind) => Schema.propertySignature(Schema.String).pipe(Schema.fromKey(kind.row))

const PaymentRows = Schema.Array(Schema.Struct({ owner: owner(payments), balance: Lovelace }))
const AccountRows = Schema.Array(
  // Not `total_balance`: its definition has changed over time.
  Schema.Struct({ owner: owner(accounts), utxo: Lovelace, rewards_available: Lovelace })
)

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

const isOfFingerprint = ({ asset_name, fingerprint, policy_id }: Named): boolean =>
  fingerprint == null || fingerprint === fingerprintOf(unitOf({ asset_name, policy_id }))

const assetRows = (kind: AddressKind) =>
  Schema.Array(
    Schema.Struct({ ...asset, owner: owner(kind), decimals: Schema.NullishOr(Decimals) }).pipe(
      Schema.filter(isOfFingerprint)
    )
  )
const [PaymentAssets, AccountAssets] = [assetRows(payments), assetRows(accounts)]

const query = <A extends { readonly owner: string }, I>(
  upstream: Upstream,
  kind: AddressKind,
  path: string,
  addresses: ReadonlyArray<string>,
  rows: Schema.Schema<ReadonlyArray<A>, I>,
  parameters: Readonly<Record<string, string>>
) =>
  upstream.over((address) =>
    address.read(
      HttpClientRequest.post(path).pipe(
        HttpClientRequest.setUrlParams(parameters),
        HttpClientRequest.bodyUnsafeJson({ [kind.list]: addresses })
      ),
      (answer) =>
        Either.filterOrLeft(
          ResponseDecoder.fitting(rows, { exact: true })(answer),
          (found) => found.every((row) => addresses.includes(row.owner)),
          (): Fault => ({ reason: "bad_answer", detail: "returned data of an address that was not requested" })
        )
    )
  )

export const coins = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>) =>
  kind === payments
    ? Effect.map(query(upstream, kind, kind.info, addresses, PaymentRows, { select: "address,balance" }), (rows) =>
        rows.map(({ balance, owner }) => [owner, { lovelace: balance }] as const)
      )
    : Effect.map(
        query(upstream, kind, kind.info, addresses, AccountRows, { select: "stake_address,utxo,rewards_available" }),
        (rows) =>
          rows.map(
            ({ owner, rewards_available: rewards, utxo }) => [owner, { lovelace: utxo + rewards, rewards }] as const
          )
      )

/**
 * The coins of each address that has a row. Without rows, all addresses are unused, or the response is wrong: then an
 * address in use has no row either. An address without a row beside others is requested once more, because its row may
 * be missing.
 */
const natives = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>,
  inUse: ReturnType<typeof coins>
) =>
  Effect.gen(function* () {
    const read = (some: ReadonlyArray<string>) =>
      Effect.flatMap(coins(upstream, kind, some), (rows) => Either.mapLeft(byKeyOrFault(rows), upstream.fault))
    const rows = yield* read(addresses)
    if (rows.size === 0 && (yield* inUse).length === 0) return yield* upstream.fault(emptyForUsed)
    const absent = rows.size === 0 ? [] : addresses.filter((address) => !rows.has(address))
    const others = absent.length === 0 ? Either.right(rows) : yield* Effect.either(read(absent))
    return (address: string) =>
      Either.map(rows.has(address) ? Either.right(rows) : others, (found) => found.get(address))
  })

const assets = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>) => {
  const page = (index: number) =>
    query(upstream, kind, kind.assets, addresses, kind === payments ? PaymentAssets : AccountAssets, {
      select: `${kind.row},policy_id,asset_name,fingerprint,decimals,quantity`,
      // Without an order a row may be on two pages, and another on none.
      order: `${kind.row},policy_id,asset_name`,
      limit: String(pageSize),
      offset: String(index * pageSize)
    })
  const keyOf = (row: { readonly owner: string; readonly policy_id: string; readonly asset_name: string | null }) =>
    `${row.owner} ${row.policy_id}${row.asset_name ?? ""}`
  return Effect.flatMap(readPages(upstream, pageSize, page, keyOf, maxAssets), ({ more, rows }) =>
    more ? upstream.fault(tooManyAssets) : Effect.succeed(rows)
  )
}

type AssetRows = Effect.Effect.Success<ReturnType<typeof assets>>

/** Whether a failure may concern a single address: its assets, or a row of them. */
const isOfSome = ({ reason }: UpstreamError) => reason === "bad_answer" || reason === "upstream_error"

/** The assets of each address; read per address if those of all cannot be read. */
const assetsOf = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>
): Effect.Effect<(address: string) => Either.Either<AssetRows, UpstreamError>> =>
  Effect.gen(function* () {
    const all = yield* Effect.either(assets(upstream, kind, addresses))
    if (Either.isRight(all) || addresses.length === 1 || !isOfSome(all.left))
      return (address) => Either.map(all, (rows) => rows.filter((row) => row.owner === address))
    const single = yield* each(addresses, (address) => Effect.either(assets(upstream, kind, [address])))
    const found = new Map(addresses.map((address, index) => [address, single[index]]))
    return (address) => found.get(address) ?? all
  })

const chunk = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>,
  inUse: ReturnType<typeof coins>,
  withAssets: boolean
) =>
  Effect.gen(function* () {
    const [coinsBy, assetsBy] = yield* Effect.all(
      [
        natives(upstream, kind, addresses, inUse),
        withAssets ? assetsOf(upstream, kind, addresses) : Effect.succeed(() => Either.right<AssetRows>([]))
      ],
      { concurrency: 2 }
    )
    const none: Omit<CardanoBalances, "assets"> = kind === payments ? { lovelace: 0n } : { lovelace: 0n, rewards: 0n }
    return addresses.map((address): Either.Either<CardanoBalances, UpstreamError> => {
      const rows = assetsBy(address)
      const coins = coinsBy(address)
      if (Either.isLeft(coins)) return Either.left(coins.left)
      // Each output with assets has coins.
      if (coins.right === undefined && Either.isRight(rows) && rows.right.length > 0)
        return Either.left(upstream.fault(withoutCoins))
      return Either.right({
        ...(coins.right ?? none),
        ...(Either.isLeft(rows) ? { unreadAssets: rows.left } : {}),
        assets: Either.getOrElse(rows, (): AssetRows => []).map((row) => ({
          unit: unitOf(row),
          quantity: row.quantity,
          // Zero is also returned if the decimals are unknown.
          decimals: row.decimals === 0 ? undefined : (row.decimals ?? undefined)
        }))
      })
    })
  })

export const make =
  (upstream: Upstream): CardanoSource["balances"] =>
  (addresses, withAssets, report) =>
    Effect.gen(function* () {
      const chunks = [
        ...inChunks(
          payments,
          addresses.filter((address) => !isStake(address))
        ),
        ...inChunks(accounts, addresses.filter(isStake))
      ]
      // Read at most once, for any number of chunks of unused addresses.
      const payment = yield* readOnce(coins(upstream, payments, [payments.usedAddress]))
      const account = yield* readOnce(coins(upstream, accounts, [accounts.usedAddress]))
      yield* Effect.forEach(
        chunks,
        ({ addresses, kind }) =>
          Effect.map(
            Effect.either(chunk(upstream, kind, addresses, kind === payments ? payment : account, withAssets)),
            (result) => {
              for (const [index, address] of addresses.entries())
                report(
                  address,
                  Either.flatMap(result, (all) => all[index] ?? Either.right(nothing))
                )
            }
          ),
        { concurrency: "unbounded", discard: true }
      )
    })

const tooManyAssets: Fault = { reason: "bad_answer", detail: "has more assets than are read" }
const withoutCoins: Fault = { reason: "bad_answer", detail: "returned assets without the coins of their outputs" }

export const emptyForUsed: Fault = { reason: "bad_answer", detail: "returned nothing for an address that is in use" }

const bytesOf = (kind: AddressKind, addresses: ReadonlyArray<string>) =>
  JSON.stringify({ [kind.list]: addresses }).length

/** Chunks of addresses within the limit of a body. */
const inChunks = (kind: AddressKind, addresses: ReadonlyArray<string>) => {
  const chunks: Array<{ readonly kind: AddressKind; readonly addresses: ReadonlyArray<string> }> = []
  for (const address of addresses) {
    const addresses = [...(chunks.at(-1)?.addresses ?? []), address]
    if (chunks.length > 0 && bytesOf(kind, addresses) <= bodyBytes) chunks.splice(-1, 1, { kind, addresses })
    else chunks.push({ kind, addresses: [address] })
  }
  return chunks
}

/** The tokens of an output, in the format of all Koios endpoints. */
export const AssetList = Schema.NullishOr(
  Schema.Array(
    Schema.Struct({ ...asset, decimals: Schema.optional(Schema.Unknown) }).pipe(Schema.filter(isOfFingerprint))
  ).pipe(Schema.filter((rows) => new Set(rows.map(unitOf)).size === rows.length))
)

interface Named {
  readonly asset_name?: string | null | undefined
  readonly fingerprint?: string | null | undefined
  readonly policy_id: string
}

/** The unit of an asset, as Blockfrost writes it. */
export const unitOf = ({ asset_name, policy_id }: Named) => policy_id + (asset_name ?? "")

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
  ): CardanoSource["unspent"] =>
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
