import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { each } from "../../../../kernel/each.ts"
import { readOnce } from "../../../../kernel/madeOnce.ts"
import { timeoutOption } from "../../../../kernel/timeout.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { ListedRow } from "../../../../upstream/response/rows.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKey, contradictory } from "../../../kit/holdings/amounts.ts"
import { isStake } from "../../CardanoAddress.ts"
import { type CardanoBalances, type CardanoProvider, nothing } from "../../Provider.ts"
import { readPages } from "../readPages.ts"
import * as calls from "./calls.ts"
import { type KoiosBalance, keyOf, unitOf } from "./KoiosAsset.ts"

/** An address is named by the member of a row. */
export type AddressKind = "address" | "stake_address"

/** An address in use, and its account: those of the example in the documentation. The sandbox must have them too. */
export const usedAddress: Readonly<Record<AddressKind, string>> = {
  address: "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7",
  stake_address: "stake1uy4jj73pfyejl4d2rs6nc70eykkhhu56p3y2rj2tdayfzeqnjyh0j"
}

export const usedAddresses: ReadonlyArray<string> = Object.values(usedAddress)

/** Maximum assets that are read in one list; anyone may send many to an address. */
const maxAssets = 20_000

/** A row of a list about several addresses. */
interface OwnedRow<A> extends ListedRow<A> {
  /** The requested address; undefined if the row names none of them. */
  readonly owner: string | undefined
}

const owned =
  <A, B>(kind: AddressKind, addresses: ReadonlyArray<string>, to: (row: A) => B) =>
  (rows: ReadonlyArray<ListedRow<A>>): ReadonlyArray<OwnedRow<B>> =>
    rows.map(({ raw, row }) => ({
      owner: addresses.find((address) => address === raw[kind]),
      raw,
      row: Option.map(row, to)
    }))

type Coins = Omit<CardanoBalances, "assets">

const coins = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>) => {
  const read = Call.reading(upstream, { exact: true })
  return kind === "address"
    ? Effect.map(read(calls.addressInfo, { addresses }), owned(kind, addresses, ofPayment))
    : Effect.map(read(calls.accountInfo, { addresses }), owned(kind, addresses, ofAccount))
}

/** Reads the coins of an address in use. */
export const coinsInUse = (upstream: Upstream, kind: AddressKind) => coins(upstream, kind, [usedAddress[kind]])

const ofPayment = ({ balance }: { readonly balance: bigint }): Coins => ({ lovelace: balance })
const ofAccount = ({
  rewards_available: rewards,
  utxo
}: Readonly<Record<"rewards_available" | "utxo", bigint>>): Coins => ({
  lovelace: utxo + rewards,
  rewards
})

/** The coins of an address; undefined if it has no row, because it was never used. */
type CoinsOf = (address: string) => Either.Either<Coins | undefined, UpstreamError>

const coinsIn = ({ fault }: Upstream, rows: ReadonlyArray<OwnedRow<Coins>>): CoinsOf => {
  const byOwner = byKey(rows.map(({ owner = "", row }) => [owner, Option.getOrNull(row)]))
  // The row of an address without one may be a row of no address, or the second one of another.
  const isClear = !byOwner.has("") && ![...byOwner.values()].includes(undefined)
  return (address) => {
    const found = byOwner.get(address)
    if (found != null) return Either.right(found)
    if (!byOwner.has(address)) return isClear ? unused : Either.left(fault(unreadable))
    return Either.left(fault(found === null ? unreadable : contradictory))
  }
}

const unused = Either.right(undefined)

/** Requests addresses once more: those of several chunks together, in as few calls as possible. */
const repeating = (upstream: Upstream, kind: AddressKind, chunks: number) => {
  interface Batch {
    readonly addresses: Array<string>
    readonly found: Deferred.Deferred<CoinsOf>
  }
  const responded = Deferred.unsafeMake<void>(FiberId.none)
  let [open, next] = [chunks, undefined as Batch | undefined]
  const read = (addresses: ReadonlyArray<string>) =>
    Effect.map(
      each(inChunks(kind, addresses), (chunk) =>
        Effect.map(Effect.either(coins(upstream, kind, chunk.addresses)), (rows) =>
          chunk.addresses.map(
            (address) => [address, Either.flatMap(rows, (found) => coinsIn(upstream, found)(address))] as const
          )
        )
      ),
      (pairs): CoinsOf => {
        const found = new Map(pairs.flat())
        return (address) => found.get(address) ?? unused
      }
    )
  return {
    /** Runs when a chunk has its first response, or none. */
    ended: Effect.sync(() => {
      if (--open === 0) Deferred.unsafeDone(responded, Effect.void)
    }),
    read: (addresses: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        next ??= { addresses: [], found: Deferred.unsafeMake(FiberId.none) }
        const own = next
        own.addresses.push(...addresses)
        yield* timeoutOption(Deferred.await(responded), maxWait)
        if (next === own) {
          next = undefined
          yield* Deferred.complete(own.found, read(own.addresses))
        }
        return yield* Deferred.await(own.found)
      })
  }
}

type Repeating = ReturnType<typeof repeating>

/** Longest wait for the first responses of other chunks. */
const maxWait = "1 second"

/**
 * The coins of each address. Without rows, all addresses are unused, or the response is wrong: then an address in use
 * has no row either. An address without a readable row beside others is requested once more, because its row may be
 * missing.
 */
const natives = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>, { again, inUse }: Shared) =>
  Effect.gen(function* () {
    const rows = yield* Effect.ensuring(coins(upstream, kind, addresses), again.ended)
    if (rows.length === 0 && (yield* inUse).length === 0) return yield* upstream.fault(emptyForUsed)
    const first = coinsIn(upstream, rows)
    const isOpen = (address: string) => Either.getOrUndefined(first(address)) === undefined
    const open = rows.length === 0 ? [] : addresses.filter(isOpen)
    if (open.length === 0) return first
    const second = yield* again.read(open)
    return (address: string) => (isOpen(address) ? second(address) : first(address))
  })

const assets = (upstream: Upstream, kind: AddressKind, addresses: ReadonlyArray<string>) => {
  const read = Call.reading(upstream, { exact: true })
  const asBalance = (row: KoiosBalance) => row
  const page = (index: number) =>
    Effect.flatMap(
      kind === "address"
        ? Effect.map(read(calls.addressAssets, { addresses, index }), owned(kind, addresses, asBalance))
        : Effect.map(read(calls.accountAssets, { addresses, index }), owned(kind, addresses, asBalance)),
      // A row without an owner may be of any address.
      (rows) =>
        Either.all(
          rows.map(({ owner, raw, row }) => {
            const key = keyOf(raw)
            return owner === undefined || Option.isNone(key)
              ? Either.left(upstream.fault(unreadable))
              : Either.right({ owner, key: key.value, asset: row })
          })
        )
    )
  return Effect.flatMap(
    readPages(upstream, calls.pageSize, page, ({ key, owner }) => `${owner} ${key}`, maxAssets),
    ({ more, rows }) => (more ? upstream.fault(tooManyAssets) : Effect.succeed(rows))
  )
}

type AssetRows = Effect.Effect.Success<ReturnType<typeof assets>>

/** Whether a failure may concern a single address: its assets, or a row of them. */
const isOfSome = ({ reason }: UpstreamError) => reason === "bad_answer" || reason === "upstream_error"

/** The assets of each address; read per address if those of all, or rows of it, cannot be read. */
const assetsOf = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>
): Effect.Effect<(address: string) => Either.Either<AssetRows, UpstreamError>> =>
  Effect.gen(function* () {
    const all = yield* Effect.either(assets(upstream, kind, addresses))
    const isOdd = (address: string) => (row: AssetRows[number]) => row.owner === address && Option.isNone(row.asset)
    const open = Either.match(all, {
      onLeft: (error) => (isOfSome(error) ? addresses : []),
      onRight: (rows) => addresses.filter((address) => rows.some(isOdd(address)))
    })
    const again = addresses.length > 1 ? open : []
    const single = yield* each(again, (address) => Effect.either(assets(upstream, kind, [address])))
    const found = new Map(again.map((address, index) => [address, single[index]]))
    return (address) => found.get(address) ?? Either.map(all, (rows) => rows.filter((row) => row.owner === address))
  })

/** Reads that the chunks of a kind share. */
interface Shared {
  /** Reads an address in use. */
  readonly inUse: ReturnType<typeof coins>
  readonly again: Repeating
}

const chunk = (
  upstream: Upstream,
  kind: AddressKind,
  addresses: ReadonlyArray<string>,
  shared: Shared,
  withAssets: boolean
) =>
  Effect.gen(function* () {
    const [coinsBy, assetsBy] = yield* Effect.all(
      [
        natives(upstream, kind, addresses, shared),
        withAssets ? assetsOf(upstream, kind, addresses) : Effect.succeed(() => Either.right<AssetRows>([]))
      ],
      { concurrency: 2 }
    )
    const none: Coins = kind === "address" ? { lovelace: 0n } : { lovelace: 0n, rewards: 0n }
    return addresses.map((address): Either.Either<CardanoBalances, UpstreamError> => {
      const rows = assetsBy(address)
      const coins = coinsBy(address)
      if (Either.isLeft(coins)) return Either.left(coins.left)
      // Each output with assets has coins.
      if (coins.right === undefined && Either.isRight(rows) && rows.right.length > 0)
        return Either.left(upstream.fault(withoutCoins))
      const read = Either.getOrElse(rows, (): AssetRows => [])
      const isUnread = read.some(({ asset }) => Option.isNone(asset))
      return Either.right({
        ...(coins.right ?? none),
        ...(Either.isLeft(rows) || isUnread
          ? { unreadAssets: Either.isLeft(rows) ? rows.left : upstream.fault(unreadable) }
          : {}),
        assets: Arr.getSomes(read.map(({ asset }) => asset)).map((row) => ({
          unit: unitOf(row),
          quantity: row.quantity,
          // Zero is also returned if the decimals are unknown.
          decimals: row.decimals === 0 ? undefined : (row.decimals ?? undefined)
        }))
      })
    })
  })

export const make =
  (upstream: Upstream): CardanoProvider["balances"] =>
  (addresses, withAssets, report) =>
    Effect.gen(function* () {
      const shared = (kind: AddressKind, chunks: number) =>
        Effect.map(
          // Read at most once, for any number of chunks of unused addresses.
          readOnce(coinsInUse(upstream, kind)),
          (inUse): Shared => ({ inUse, again: repeating(upstream, kind, chunks) })
        )
      const of = (kind: AddressKind, own: ReadonlyArray<string>) => {
        const chunks = inChunks(kind, own)
        return Effect.map(shared(kind, chunks.length), (all) => chunks.map((each) => ({ ...each, shared: all })))
      }
      const chunks = [
        ...(yield* of(
          "address",
          addresses.filter((address) => !isStake(address))
        )),
        ...(yield* of("stake_address", addresses.filter(isStake)))
      ]
      yield* Effect.forEach(
        chunks,
        ({ addresses, kind, shared }) =>
          Effect.map(Effect.either(chunk(upstream, kind, addresses, shared, withAssets)), (result) => {
            for (const [index, address] of addresses.entries())
              report(
                address,
                Either.flatMap(result, (all) => all[index] ?? Either.right(nothing))
              )
          }),
        { concurrency: "unbounded", discard: true }
      )
    })

const unreadable: Fault = { reason: "bad_answer", detail: "returned data of the address that cannot be read" }
const tooManyAssets: Fault = { reason: "bad_answer", detail: "has more assets than are read" }
const withoutCoins: Fault = { reason: "bad_answer", detail: "returned assets without the coins of their outputs" }

export const emptyForUsed: Fault = { reason: "bad_answer", detail: "returned nothing for an address that is in use" }

const bytesOf = (kind: AddressKind, addresses: ReadonlyArray<string>) =>
  JSON.stringify((kind === "address" ? calls.addressInfo : calls.accountInfo).body?.({ addresses })).length

/** Chunks of addresses within the limit of a body. */
const inChunks = (kind: AddressKind, addresses: ReadonlyArray<string>) => {
  const chunks: Array<{ readonly kind: AddressKind; readonly addresses: ReadonlyArray<string> }> = []
  for (const address of addresses) {
    const addresses = [...(chunks.at(-1)?.addresses ?? []), address]
    if (chunks.length > 0 && bytesOf(kind, addresses) <= calls.bodyBytes) chunks.splice(-1, 1, { kind, addresses })
    else chunks.push({ kind, addresses: [address] })
  }
  return chunks
}
