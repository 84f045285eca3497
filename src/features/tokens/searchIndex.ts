import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"

// An index of assets by the starts of their texts. Built in turns, because there are tens of thousands of tokens.

/** A coin or a token with its contracts on all networks. */
export interface Asset {
  readonly coinId: string
  readonly symbol: string
  readonly name: string
  /** URL; may be empty. */
  readonly thumbnail: string
  readonly contracts: Array<{ readonly network: string; readonly contract: string | null; readonly decimals: number }>
}

/** How a text fits an asset, the best first. */
const fits = { equal: 0, symbol: 1, name: 2, word: 3 } as const
type Fit = (typeof fits)[keyof typeof fits]

/** A text of an asset from the start of one of its words. */
interface TextEntry {
  readonly text: string
  readonly fit: Fit
  readonly asset: Asset
}

export interface SearchIndex {
  /** By the first character of the text. */
  readonly entries: ReadonlyMap<string, ReadonlyArray<TextEntry>>
  readonly byCoin: ReadonlyMap<string, Asset>
}

/** Longest part of a text that is compared. */
const maxCompared = 100

/** A text without the differences that people do not mean: compatibility forms, case and spaces. */
export const folded = (text: string): string =>
  text.slice(0, maxCompared).normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ")

const firstOf = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 0)

/** The starts of the words of a name, but for the first. */
const wordStarts = (name: string) =>
  Array.from(name.matchAll(/(?<=[^\p{L}\p{N}])[\p{L}\p{N}]/gu), ({ index }) => name.slice(index))

type SearchedNetwork = Pick<ChainFacts, "id" | "native" | "platform">

/** Indexes the coins of all networks and the tokens of their lists. */
export const searchIndex = (
  networks: ReadonlyArray<SearchedNetwork>,
  lists: ReadonlyMap<string, Pick<TokenList, "tokens">>
): Effect.Effect<SearchIndex> => {
  const byCoin = new Map<string, Asset>()
  const entries = new Map<string, Array<TextEntry>>()
  const addEntry = (entry: TextEntry) => {
    if (entry.text === "") return
    const first = firstOf(entry.text)
    const others = entries.get(first)
    if (others === undefined) entries.set(first, [entry])
    else others.push(entry)
  }
  const assetOf = (coinId: string, { name, symbol, thumbnail }: Pick<Asset, "name" | "symbol" | "thumbnail">) => {
    const known = byCoin.get(coinId)
    if (known !== undefined) return known
    const asset: Asset = { coinId, symbol, name, thumbnail, contracts: [] }
    byCoin.set(coinId, asset)
    const foldedName = folded(name)
    addEntry({ text: folded(symbol), fit: fits.symbol, asset })
    addEntry({ text: foldedName, fit: fits.name, asset })
    for (const text of wordStarts(foldedName)) addEntry({ text, fit: fits.word, asset })
    return asset
  }
  for (const { id, native } of networks)
    if (`${native.coinId}` !== "")
      assetOf(native.coinId, native).contracts.push({ network: id, contract: null, decimals: native.decimals })
  const listed = networks.flatMap(({ id, platform }) =>
    Arr.chunksOf(lists.get(platform ?? "")?.tokens ?? [], 100).map((tokens) => [id, tokens] as const)
  )
  return Effect.as(
    inTurn(listed, ([network, tokens]) => {
      for (const token of tokens) {
        const { contracts } = assetOf(token.coinId, token)
        contracts.push({ network, contract: token.address, decimals: token.decimals })
      }
    }),
    { entries, byCoin }
  )
}

/** How much of each asset there is, in US dollars; 0 if that is not known. */
export type SizeOf = (asset: Asset) => number

/** At most `limit` assets that a text may mean, the best first, as far as `isWanted` takes them. */
export const search = (
  { byCoin, entries }: SearchIndex,
  text: string,
  limit: number,
  sizeOf: SizeOf,
  isWanted: (asset: Asset) => boolean
): ReadonlyArray<Asset> => {
  const wanted = folded(text)
  const found = new Map<Asset, Fit>()
  const add = (asset: Asset, fit: Fit) => {
    const before = found.get(asset)
    if (before === undefined ? isWanted(asset) : fit < before) found.set(asset, fit)
  }
  const coin = byCoin.get(wanted)
  if (coin !== undefined) add(coin, fits.equal)
  for (const entry of wanted === "" ? [] : (entries.get(firstOf(wanted)) ?? []))
    if (entry.text.startsWith(wanted))
      add(entry.asset, entry.text === wanted && entry.fit !== fits.word ? fits.equal : entry.fit)
  return best(found, limit, sizeOf)
}

interface Ranked {
  readonly asset: Asset
  readonly fit: Fit
  readonly size: number
}

const isBetter = (a: Ranked, b: Ranked) => a.fit < b.fit || (a.fit === b.fit && a.size > b.size)

/** The best of many assets, which are not sorted: a usual word is in thousands of names. */
const best = (found: ReadonlyMap<Asset, Fit>, limit: number, sizeOf: SizeOf): ReadonlyArray<Asset> => {
  const ranked: Array<Ranked> = []
  for (const [asset, fit] of found) {
    const last = ranked.at(-1)
    if (ranked.length >= limit && last !== undefined && fit > last.fit) continue
    const candidate = { asset, fit, size: sizeOf(asset) }
    if (ranked.length >= limit && last !== undefined && !isBetter(candidate, last)) continue
    const at = ranked.findIndex((other) => isBetter(candidate, other))
    ranked.splice(at === -1 ? ranked.length : at, 0, candidate)
    if (ranked.length > limit) ranked.pop()
  }
  return ranked.map(({ asset }) => asset)
}
