import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Unread } from "../../chains/Chain.ts"
import type { Find } from "../../chains/Chains.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Token } from "../../domain/Token.ts"
import type { Transaction } from "../../domain/Transaction.ts"
import { each } from "../../kernel/each.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { type AddressRead, group, readAll } from "../balances/readAddresses.ts"
import type { History } from "../history/History.ts"
import { isOlder, readPages, unclear } from "./readPages.ts"
import { native } from "./rollBack.ts"

/** An address of a request, and what it holds now. */
export type ChartAddress = AddressRead

/** What is known of an address: its assets now, and their past. */
export interface AddressPast {
  readonly address: ChartAddress
  /** By asset; empty where nothing could be read. */
  readonly assets: ReadonlyMap<string, ChartedAsset>
  /** Base units now, of the assets that could be read. */
  readonly balances: ReadonlyMap<string, bigint>
  readonly transactions: ReadonlyArray<Transaction>
  /** UNIX seconds; undefined where the transactions reach back to the first one. */
  readonly since: number | undefined
  /** Why the past is approximate, for people. */
  readonly reasons: ReadonlyArray<string>
  /** Why nothing is known, not even of now. */
  readonly unread: Unread | undefined
}

/** An asset with a price at the market data provider. */
export interface ChartedAsset extends Pick<Token, "symbol" | "decimals"> {
  readonly coinId: CoinId
}

/** What every address holds now; an address in several spellings counts once, under the first. Cannot fail. */
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
 * The transactions of an address between two times (ms), of which `now` is that of the last point, page by page, as far as
 * they can be read in `within` ms; and whether they add up. Cannot fail.
 */
export const pastOf = (
  history: History["Type"],
  list: TokenList | undefined,
  address: ChartAddress,
  [start, now]: readonly [start: number, now: number],
  within: number
): Effect.Effect<AddressPast> =>
  Effect.gen(function* () {
    const { assets, balances, unread } = assetsOf(address, list)
    if (unread !== undefined)
      return { address, assets, balances, transactions: [], since: undefined, reasons: [], unread }
    const pages = yield* readPages(history, address, start, within)
    const oldest = pages.transactions.at(-1)?.timestamp
    // Without any transaction the balances of now alone are known.
    const since = pages.ended ? undefined : (oldest ?? Math.floor(now / 1000))
    return {
      address,
      assets,
      balances,
      transactions: pages.transactions,
      since,
      reasons: [
        ...reasonsOf(address),
        ...[...pages.missing].filter((text) => !isOlder(text)),
        ...unclear(pages, address)
      ],
      unread
    }
  })

/** The assets that have a coin id, with what is held of them now; tokens that are no longer held are those of the list. */
const assetsOf = ({ holdings, missing, network, whole }: ChartAddress, list: TokenList | undefined) => {
  const { native: coin } = network.facts
  const assets = new Map<string, ChartedAsset>([[native, coin]])
  const balances = new Map<string, bigint>()
  let unread: Unread | undefined
  for (const { amount, asset } of holdings) {
    if (asset === "native") {
      if (Either.isLeft(amount)) unread = amount.left
      else balances.set(native, amount.right)
    } else if (asset.coinId !== undefined) {
      const { coinId, decimals, symbol } = asset
      assets.set(asset.address, { coinId, decimals, symbol })
      if (Either.isRight(amount)) balances.set(asset.address, amount.right)
    }
  }
  // Without a complete list of what is held, a token that is not on it may be held all the same.
  if (whole && missing === undefined)
    for (const { address, coinId, decimals, symbol } of list?.tokens ?? [])
      if (!assets.has(address)) assets.set(address, { coinId, decimals, symbol })
  return { assets, balances, unread }
}

const reasonsOf = ({ holdings, missing }: ChartAddress): ReadonlyArray<string> => [
  ...(missing === undefined ? [] : [`tokens: ${missing.message}`]),
  ...holdings.flatMap(({ amount, asset }) =>
    asset !== "native" && Either.isLeft(amount) ? [`${asset.symbol}: ${amount.left.message}`] : []
  )
]
