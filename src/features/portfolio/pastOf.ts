import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadFailure } from "../../chains/Chain.ts"
import type { Find } from "../../chains/Chains.ts"
import { heightsOf } from "../../chains/kit/history/heights.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { type Gap, gap, isOfAmounts, union } from "../../domain/history/Gap.ts"
import { inForce, type Multiplier } from "../../domain/Multiplier.ts"
import type { Token } from "../../domain/Token.ts"
import type { Transaction } from "../../domain/Transaction.ts"
import { least, type Millis, type Seconds, seconds, shift, toMillis, toSeconds } from "../../domain/units.ts"
import { each } from "../../kernel/each.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { native } from "../balances/accounts.ts"
import { type AddressRead, group, readAll } from "../balances/readAddresses.ts"
import type { History } from "../history/History.ts"
import type { NetworkHistory } from "../history/NetworkHistory.ts"
import { readScalings } from "../reading.ts"

/** Transactions per page, and maximum number of pages per address: older transactions remain unknown. */
const [pageSize, maxPages] = [500, 6] as const

/** Time for the multipliers of tokens after the pages, ms: most of them are known. */
const leastWait = 250

/** The part of a history read so far. */
interface Pages {
  readonly transactions: Array<Transaction>
  readonly gaps: Array<Gap>
  /** Whether the last transaction is the first of the address. */
  ended: boolean
}

/** Whether only older transactions are missing, so that newer transactions are complete. */
const isOlder = ({ what }: Gap) => what === "older"

/** Reads the transactions of an address since a time within `within` ms. Cannot fail. */
const readPages = (
  history: History["Type"],
  { network, text }: AddressRead,
  start: Millis,
  within: number
): Effect.Effect<Pages> =>
  Effect.gen(function* () {
    const pages: Pages = { transactions: [], gaps: [], ended: false }
    const end = (yield* Clock.currentTimeMillis) + within
    const wanted = { [network.facts.id]: [text] }
    let cursor: string | undefined
    for (let count = 0; count < maxPages; count++) {
      const texts = cursor === undefined ? {} : { [network.facts.id]: { [text]: cursor } }
      const cursors = yield* Effect.either(history.cursors(wanted, texts))
      if (Either.isLeft(cursors)) return pages
      const left = end - (yield* Clock.currentTimeMillis)
      const [first] = yield* history.transactions(wanted, pageSize, cursors.right, left)
      const page: NetworkHistory | undefined = first?.histories[0]
      if (page === undefined) return pages
      if (page.failure !== undefined && page.transactions.length === 0) {
        if (count === 0) pages.gaps.push(gap("transactions", `transactions: ${page.failure.message}`))
        return pages
      }
      pages.transactions.push(...page.transactions.map(([transaction]) => transaction))
      pages.gaps.push(...page.gaps)
      // A page without transactions returns its own cursor, which is not read again.
      const last = page.transactions.at(-1)?.[0].timestamp ?? seconds(Number.NEGATIVE_INFINITY)
      if (page.next === null) {
        pages.ended = page.failure === undefined && !page.gaps.some(isOlder)
        return pages
      }
      if (toMillis(shift(last, disorderOf(network))) < start) return pages
      cursor = page.next
    }
    return pages
  })

const unchecked = "its first transactions were not read, so nothing shows that the others explain its balances"

/** Seconds by which unread transactions may be later than the last one. */
const disorderOf = (network: AddressRead["network"]) => heightsOf(network).disorder ?? 0

/** Texts about transactions whose effect is not known. */
const unclear = ({ transactions }: Pages, { text }: AddressRead): ReadonlyArray<string> => {
  const fees = transactions.filter(
    ({ fee, from, paid }) => fee === null && paid === undefined && from.some(({ address }) => address === text)
  ).length
  const unknown = transactions.filter(({ status }) => status === "Unknown").length
  return [
    ...(fees === 0 ? [] : [`the fees of ${fees} transactions are not known`]),
    ...(unknown === 0 ? [] : [`the results of ${unknown} transactions are not known`])
  ]
}

/** A reason for all of the past. */
const always = (text: string): PastReason => ({ text })

/** An address of a request and its current holdings. */
export type ChartAddress = AddressRead

/** Why balances of the past are approximate, for people; from `since` on they are not. */
export type PastReason = Pick<Gap, "since" | "text"> & Partial<Pick<Gap, "what">>

/** The known data of an address: its current assets and their past. */
export interface AddressPast {
  readonly address: ChartAddress
  /** By asset. */
  readonly assets: ReadonlyMap<string, ChartedAsset>
  /** Current base units of the assets that could be read. */
  readonly balances: ReadonlyMap<string, bigint>
  readonly transactions: ReadonlyArray<Transaction>
  /** Undefined if the transactions reach back to the first of the address. */
  readonly since: Seconds | undefined
  /** Why the current balances, and with them the past, are incomplete, for people. */
  readonly reasonsNow: ReadonlyArray<string>
  /** Why the past alone is approximate. */
  readonly reasons: ReadonlyArray<PastReason>
  /** Why even the current balances are unknown. */
  readonly unread: ReadFailure | undefined
}

/** The listed tokens that moved, and whose decimals are not confirmed: their amounts are unknown. */
const unconfirmed = (
  { transactions }: Pages,
  assets: ReadonlyMap<string, ChartedAsset>,
  list: TokenList | undefined
): ReadonlyArray<string> => {
  const moved = new Set(transactions.flatMap(({ from, to }) => [...from, ...to].map(({ token = "" }) => token)))
  const symbols = [...moved].flatMap((token) =>
    assets.has(token) || list?.decimalsOf(token) !== undefined ? [] : (list?.byAddress.get(token)?.symbol ?? [])
  )
  return symbols.map((symbol) => `${symbol}: the decimals of the token are not confirmed`)
}

/** An asset with a price at the market data provider. */
export interface ChartedAsset extends Pick<Token, "symbol" | "decimals"> {
  readonly coinId: CoinId
  /** The current multiplier of a token whose displayed amounts differ from the stored ones. */
  readonly multiplier?: Multiplier
}

/** The current holdings of every address. An address in several spellings counts once, under the first. Cannot fail. */
export const readNow = (
  find: Find,
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
  within: number
): Effect.Effect<ReadonlyArray<ChartAddress>> =>
  Effect.map(
    each(group(wanted, find), (networkGroup) => readAll(networkGroup, within)),
    (all) => Arr.dedupeWith(all.flat(), (a, b) => a.key !== undefined && a.key === b.key)
  )

/**
 * The current assets of an address and its transactions between two times, as far as they can be read in `within`
 * ms. `now` is the time of the last point. Cannot fail.
 */
export const pastOf = (
  history: History["Type"],
  list: TokenList | undefined,
  address: ChartAddress,
  [start, now]: readonly [start: Millis, now: Millis],
  within: number
): Effect.Effect<AddressPast> =>
  Effect.gen(function* () {
    const { assets, balances, unread } = assetsOf(address, list)
    if (unread !== undefined)
      return {
        address,
        assets,
        balances,
        transactions: [],
        since: undefined,
        reasonsNow: [unread.message],
        reasons: [],
        unread
      }
    const end = (yield* Clock.currentTimeMillis) + within
    const pages = yield* readPages(history, address, start, within)
    // Without transactions, only the current balances are known.
    const oldest = pages.transactions.at(-1)?.timestamp ?? toSeconds(now)
    const left = Math.max(end - (yield* Clock.currentTimeMillis), leastWait)
    const scaled = yield* scaledAssets(address, assets, pages.transactions, left)
    const since = pages.ended ? undefined : least(toSeconds(now), shift(oldest, disorderOf(address.network)))
    return {
      address,
      assets: scaled.assets,
      balances,
      transactions: pages.transactions,
      since,
      reasonsNow: reasonsOf(address),
      reasons: [
        ...scaled.reasons.map(always),
        ...union(pages.gaps).filter((each) => !isOlder(each) && isOfAmounts(each)),
        ...[...unclear(pages, address), ...unconfirmed(pages, assets, list)].map(always),
        // Only the first transaction shows that the changes add up to the balance.
        ...(pages.ended || pages.transactions.length === 0 ? [] : [always(unchecked)])
      ],
      unread
    }
  })

/** The assets with a coin id and their current balances; tokens that are no longer held come from the list. */
const assetsOf = ({ holdings, missing, network, whole }: ChartAddress, list: TokenList | undefined) => {
  const { native: coin } = network.facts
  const assets = new Map<string, ChartedAsset>([[native, coin]])
  const balances = new Map<string, bigint>()
  let unread: ReadFailure | undefined
  for (const { amount, asset, scaling } of holdings) {
    if (asset === "native") {
      if (Either.isRight(amount)) balances.set(native, amount.right)
      // Without tokens, nothing of the address is known.
      else if (holdings.every((holding) => Either.isLeft(holding.amount))) unread = amount.left
    } else if (asset.coinId !== undefined) {
      const { coinId, decimals, symbol } = asset
      const multiplier = inForce(scaling)
      assets.set(asset.address, { coinId, decimals, symbol, ...(multiplier === undefined ? {} : { multiplier }) })
      if (Either.isRight(amount)) balances.set(asset.address, amount.right)
    }
  }
  // If the holdings are incomplete, a token that is not among them may still be held.
  if (whole && missing === undefined)
    for (const { address, coinId, symbol } of list?.tokens ?? []) {
      const decimals = list?.decimalsOf(address)
      if (!assets.has(address) && decimals !== undefined) assets.set(address, { coinId, decimals, symbol })
    }
  return { assets, balances, unread }
}

/**
 * The assets with the multipliers of tokens that are no longer held. Without assets whose multiplier could not be read:
 * their amounts say nothing.
 */
const scaledAssets = (
  { holdings, network }: ChartAddress,
  assets: ReadonlyMap<string, ChartedAsset>,
  transactions: ReadonlyArray<Transaction>,
  within: number
) =>
  Effect.gen(function* () {
    const owned = new Set(holdings.flatMap(({ asset }) => (asset === "native" ? [] : [asset.address])))
    const moved = new Set(
      transactions.flatMap(({ from, to }) => [...from, ...to].flatMap(({ token = native }) => token))
    )
    const open = [...moved].filter((token) => token !== native && assets.has(token) && !owned.has(token))
    const found = yield* readScalings(network, open, within)
    const all = new Map(assets)
    const reasons: Array<string> = []
    for (const [token, scaling] of found) {
      const asset = assets.get(token)
      if (asset === undefined) continue
      const multiplier = Either.isRight(scaling) ? inForce(scaling.right) : undefined
      if (multiplier !== undefined) all.set(token, { ...asset, multiplier })
      if (Either.isRight(scaling)) continue
      all.delete(token)
      reasons.push(`${asset.symbol.toUpperCase()}: ${scaling.left.message}`)
    }
    return { assets: all, reasons }
  })

/** The assets whose current balances are missing, in words. */
const reasonsOf = ({ holdings, missing, network }: ChartAddress): ReadonlyArray<string> => [
  ...(missing === undefined ? [] : [`tokens: ${missing.message}`]),
  ...holdings.flatMap(({ amount, asset }) =>
    Either.isLeft(amount)
      ? [`${asset === "native" ? network.facts.native.symbol : asset.symbol}: ${amount.left.message}`]
      : []
  )
]
