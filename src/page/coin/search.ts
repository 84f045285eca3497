import type { PageClient } from "../state/client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import type { KnownCoin } from "./candleCoins.ts"

/** A coin that can be found. */
export interface SearchableCoin extends KnownCoin {
  /** Its addresses on the chains with prices, in lower case. */
  readonly addresses: ReadonlyArray<string>
  /** Fully diluted valuation: the larger comes first. */
  readonly fdv: number
}

/** Limits for the answer of the service, and of the suggestions. */
const maxListed = 20_000
const maxLetters = 100
const maxFound = 8

type ChainPrices = Awaited<ReturnType<PageClient["prices"]["chain"]>>

/** The coins with prices on the chains, each once. */
export const listedIn = (prices: ChainPrices): ReadonlyArray<SearchableCoin> => {
  const coins = new Map<string, SearchableCoin>()
  let count = 0
  for (const chain of Object.values(prices))
    for (const { address, fdv, id, name, symbol } of Object.values(chain)) {
      if (++count > maxListed) return [...coins.values()]
      const before = coins.get(id)
      coins.set(id, {
        id,
        name: name.slice(0, maxLetters),
        symbol: symbol.slice(0, maxLetters),
        addresses: [...(before?.addresses ?? []), address.toLowerCase()],
        fdv: fdv ?? before?.fdv ?? 0
      })
    }
  return [...coins.values()]
}

/** Reads the coins with prices on the chains of these networks. */
export const readListed = async (
  client: PageClient,
  networks: ReadonlyArray<KnownNetwork>,
  signal: AbortSignal
): Promise<ReadonlyArray<SearchableCoin>> => {
  const chains = networks.flatMap(({ chainId }) => chainId ?? [])
  return chains.length === 0 ? [] : listedIn(await client.prices.chain(chains, { signal }))
}

/** How well a coin fits: the smaller the better; undefined if it does not. */
const rankOf = ({ addresses, id, name, symbol }: SearchableCoin, wanted: string): number | undefined => {
  const texts = [symbol, name, id].map((text) => text.toLowerCase())
  if (texts.includes(wanted) || addresses.includes(wanted)) return 0
  if (texts[0]?.startsWith(wanted)) return 1
  if (texts.some((text) => text.startsWith(wanted))) return 2
  return wanted.length > 1 && texts.some((text) => text.includes(wanted)) ? 3 : undefined
}

const none: Pick<SearchableCoin, "addresses" | "fdv"> = { addresses: [], fdv: 0 }

/** The coins that the page has loaded. */
export interface LoadedCoins {
  readonly known: ReadonlyArray<KnownCoin>
  /** The ids of coins that the last portfolio holds. */
  readonly own: ReadonlySet<string>
  /** The coins with prices on the chains. */
  readonly listed: ReadonlyArray<SearchableCoin>
}

/**
 * The coins that a text may mean, the best first: own holdings, then by how well they fit, those that the page knows, and
 * by size. Without a text: own holdings.
 */
export const foundCoins = (text: string, { known, listed, own }: LoadedCoins): ReadonlyArray<SearchableCoin> => {
  const wanted = text.trim().toLowerCase()
  const byId = new Map(listed.map((coin) => [coin.id, coin]))
  const all = [
    ...known.map((coin) => ({ ...none, ...byId.get(coin.id), ...coin })),
    ...listed.filter(({ id }) => !known.some((coin) => coin.id === id))
  ]
  return all
    .flatMap((coin, index) => {
      const rank = wanted === "" ? (own.has(coin.id) ? 0 : undefined) : rankOf(coin, wanted)
      return rank === undefined ? [] : [{ coin, rank, isOwn: own.has(coin.id), isKnown: index < known.length }]
    })
    .sort(
      (a, b) =>
        Number(b.isOwn) - Number(a.isOwn) ||
        a.rank - b.rank ||
        Number(b.isKnown) - Number(a.isKnown) ||
        b.coin.fdv - a.coin.fdv
    )
    .slice(0, maxFound)
    .map(({ coin }) => coin)
}
