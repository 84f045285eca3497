import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../amounts.ts"
import { isStake } from "../CardanoAddress.ts"
import {
  bodyBytes,
  type CardanoBalances,
  type CardanoSource,
  Decimals,
  Hex,
  Lovelace,
  nothing,
  pagesDiffer,
  Quantity
} from "../Source.ts"
import { type AddressKind, accounts, payments } from "./kinds.ts"

/** Rows per page; a page that is not full is the last one. */
const pageSize = 1000

const owner = (kind: AddressKind) => Schema.propertySignature(Schema.String).pipe(Schema.fromKey(kind.row))

const PaymentRows = Schema.Array(Schema.Struct({ owner: owner(payments), balance: Lovelace }))
const AccountRows = Schema.Array(
  // Not `total_balance`: its definition has changed over time.
  Schema.Struct({ owner: owner(accounts), utxo: Lovelace, rewards_available: Lovelace })
)

const assetRows = (kind: AddressKind) =>
  Schema.Array(
    Schema.Struct({
      owner: owner(kind),
      policy_id: Hex.pipe(Schema.length(56)),
      asset_name: Schema.NullOr(Hex),
      decimals: Schema.NullishOr(Decimals),
      quantity: Quantity
    })
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

/** Without rows, all addresses are unused, or the response is wrong: then an address in use has no row either. */
const natives = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>,
  inUse: ReturnType<typeof coins>
) =>
  Effect.gen(function* () {
    const rows = yield* Either.mapLeft(byKeyOrFault(yield* coins(upstream, kind, addresses)), upstream.fault)
    if (rows.size > 0 || (yield* inUse).length > 0) return rows
    return yield* upstream.fault(emptyForUsed)
  })

const assets = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const all = new Map<string, (typeof PaymentAssets.Type)[number]>()
    for (let page: typeof PaymentAssets.Type | undefined; page === undefined || page.length >= pageSize; ) {
      page = yield* query(upstream, kind, kind.assets, addresses, kind === payments ? PaymentAssets : AccountAssets, {
        select: `${kind.row},policy_id,asset_name,decimals,quantity`,
        // Without an order a row may be on two pages, and another on none.
        order: `${kind.row},policy_id,asset_name`,
        limit: String(pageSize),
        offset: String(all.size)
      })
      for (const row of page) {
        const key = `${row.owner} ${row.policy_id}${row.asset_name ?? ""}`
        if (all.has(key)) return yield* upstream.fault(pagesDiffer)
        all.set(key, row)
      }
    }
    return [...all.values()]
  })

const chunk = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>,
  inUse: ReturnType<typeof coins>,
  withAssets: boolean
) =>
  Effect.gen(function* () {
    const [coins, balances] = yield* Effect.all(
      [natives(upstream, kind, addresses, inUse), withAssets ? assets(upstream, kind, addresses) : Effect.succeed([])],
      { concurrency: 2 }
    )
    const byAddress = new Map<string, Omit<CardanoBalances, "assets">>(coins)
    const none = kind === payments ? { lovelace: 0n } : { lovelace: 0n, rewards: 0n }
    return addresses.map(
      (address): CardanoBalances => ({
        ...(byAddress.get(address) ?? none),
        assets: balances
          .filter((row) => row.owner === address)
          .map(({ asset_name, decimals, policy_id, quantity }) => ({
            unit: policy_id + (asset_name ?? ""),
            quantity,
            // Zero is also returned if the decimals are unknown.
            decimals: decimals === 0 ? undefined : (decimals ?? undefined)
          }))
      })
    )
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
      const payment = yield* Effect.cached(coins(upstream, payments, [payments.usedAddress]))
      const account = yield* Effect.cached(coins(upstream, accounts, [accounts.usedAddress]))
      yield* Effect.forEach(
        chunks,
        ({ addresses, kind }) =>
          Effect.map(
            Effect.either(chunk(upstream, kind, addresses, kind === payments ? payment : account, withAssets)),
            (result) => {
              for (const [index, address] of addresses.entries())
                report(
                  address,
                  Either.map(result, (all) => all[index] ?? nothing)
                )
            }
          ),
        { concurrency: "unbounded", discard: true }
      )
    })

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
