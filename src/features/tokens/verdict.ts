import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import {
  type Judgement,
  signs as signsOfFraud,
  type VerdictReason,
  verdictReasons
} from "../../domain/tokens/Verdict.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import type { RegisteredToken, TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { isAscii, skeleton, spelling } from "./skeleton.ts"
import { textReasons } from "./texts.ts"

// The verdict on a token: pure, and of texts that strangers write.

/** A token whose texts are as its chain has them. */
export interface Judged {
  readonly network: string
  /** The address of its contract in canonical form. */
  readonly address: string
  readonly name: string
  readonly symbol: string
  /** Whether a token list has the contract. */
  readonly listed: boolean
  readonly hasPrice: boolean
  /** Reasons that the caller knows by the behaviour of the token, or by the mark of a source. */
  readonly signs?: ReadonlyArray<VerdictReason>
}

/** What a verdict needs of a list of tokens. */
type List = Pick<TokenList, "byAddress" | "byCoin" | "tokens">
type ListsByPlatform = ReadonlyMap<string, List>
type JudgedNetwork = Pick<ChainFacts, "id" | "native" | "platform">

/** The texts of a listed token or of a native coin. */
type Known = Pick<RegisteredToken, "coinId" | "name" | "symbol">

/** Listed tokens by the skeletons of their symbols and names. */
type Skeletons = Map<string, Array<Known>>

/** The listed tokens and native coins by the looks of their texts. */
export interface ListedTexts {
  readonly natives: Skeletons
  readonly lists: ReadonlyArray<readonly [List, Skeletons]>
  /** By the id of the network. */
  readonly networks: ReadonlyMap<string, { readonly native: Known; readonly list?: List }>
}

/** More tokens than this with one skeleton are no help to a verdict. */
const maxAlike = 16

const add = (skeletons: Skeletons, known: Known): Skeletons => {
  for (const key of new Set([skeleton(known.symbol), skeleton(known.name)])) {
    const alike = skeletons.get(key)
    if (alike === undefined) skeletons.set(key, [known])
    else if (alike.length < maxAlike) alike.push(known)
  }
  return skeletons
}

/** By the tokens of a list: they are replaced rarely, and their skeletons are dropped with them. */
const made = new WeakMap<ReadonlyArray<Known>, Skeletons>()

const skeletonsOf = (tokens: ReadonlyArray<Known>): Skeletons => {
  const skeletons = made.get(tokens) ?? tokens.reduce(add, new Map())
  made.set(tokens, skeletons)
  return skeletons
}

/** Indexes the texts of all listed tokens and coins. Only lists that are new since the last call cost time. */
export const listedTexts = (lists: ListsByPlatform, networks: ReadonlyArray<JudgedNetwork>): ListedTexts => ({
  natives: skeletonsOf(nativesOf(networks)),
  lists: [...lists.values()].map((list) => [list, skeletonsOf(list.tokens)]),
  networks: new Map(
    networks.map(({ id, native, platform }) => {
      const list = lists.get(platform ?? "")
      return [id, { native, ...(list === undefined ? {} : { list }) }]
    })
  )
})

const coins = new WeakMap<ReadonlyArray<JudgedNetwork>, ReadonlyArray<Known>>()

const nativesOf = (networks: ReadonlyArray<JudgedNetwork>): ReadonlyArray<Known> => {
  const natives = coins.get(networks) ?? networks.map(({ native }) => native)
  coins.set(networks, natives)
  return natives
}

/** Judges tokens by the lists of now. Lists that are new are indexed in turns, so that other requests go on. */
export const judging = (registry: typeof TokenRegistry.Service, networks: ReadonlyArray<JudgedNetwork>) =>
  Effect.gen(function* () {
    const lists = yield* registry.lists
    for (const { tokens } of lists.values()) {
      if (made.has(tokens)) continue
      const skeletons: Skeletons = new Map()
      yield* inTurn(Arr.chunksOf(tokens, 100), (some) => some.reduce(add, skeletons))
      made.set(tokens, skeletons)
    }
    const listed = listedTexts(lists, networks)
    return (token: Judged): Judgement => judge(token, listed)
  })

/**
 * The verdict on a token. A list vouches for the texts of its tokens, which are not judged by them: only the signs that
 * the caller knows are among their reasons, and they stay `listed`.
 */
export const judge = (token: Judged, listed: ListedTexts): Judgement => {
  const { hasPrice, listed: isListed, name, signs = [], symbol } = token
  const found = new Set<VerdictReason>([
    ...signs,
    ...(isListed ? [] : ["not-listed" as const, ...textReasons(name, symbol)]),
    ...(!isListed && isLookalike(token, listed) ? ["lookalike" as const] : []),
    ...(hasPrice ? [] : ["no-price" as const]),
    ...(skeleton(name) === "" && skeleton(symbol) === "" ? ["no-name" as const] : [])
  ])
  return {
    verdict: isListed ? "listed" : signsOfFraud.some((sign) => found.has(sign)) ? "suspicious" : "unknown",
    reasons: verdictReasons.filter((reason) => found.has(reason))
  }
}

/** A coin with contracts on this many networks is widely known: its symbol or its name alone is taken for it. */
const knownOn = 4

/**
 * Whether a token looks like another: one of its texts only looks like that of a listed token of any network or of a
 * coin, or it has the texts of another token, or of the coin, of the same network. Many honest tokens share a symbol, and
 * a coin has the same texts on all networks: so equal texts count only on the same network, and only if both are equal
 * or the other is widely known.
 */
const isLookalike = ({ address, name, network, symbol }: Judged, listed: ListedTexts): boolean => {
  const { list, native } = listed.networks.get(network) ?? {}
  const self = list?.byAddress.get(address)?.coinId
  const isWidelyKnown = ({ coinId }: Known) => {
    let networks = 0
    for (const [{ byCoin }] of listed.lists) if (byCoin.has(coinId) && ++networks >= knownOn) return true
    return false
  }
  const own = { symbol: spelling(symbol), name: spelling(name) }
  const isEqual = (known: Known) => {
    const symbols = spelling(known.symbol) === own.symbol
    const names = spelling(known.name) === own.name
    return (symbols && names) || ((known === native || isWidelyKnown(known)) && (symbols || names))
  }
  const isTaken = (text: string): boolean => {
    const key = skeleton(text)
    const alike = key.length < 2 ? [] : alikeIn(listed, key).filter(({ coinId }) => coinId !== self)
    if (alike.length === 0) return false
    const spelled = spelling(text)
    if (alike.some((known) => spelling(known.symbol) === spelled || spelling(known.name) === spelled))
      return alike.some((known) => (known === native || list?.byCoin.has(known.coinId) === true) && isEqual(known))
    return isAscii(text) ? alike.some(isWidelyKnown) : true
  }
  return isTaken(symbol) || isTaken(name)
}

/** The listed tokens and the coins that have a text of this skeleton. */
const alikeIn = ({ lists, natives }: ListedTexts, key: string): ReadonlyArray<Known> => {
  const alike = [...(natives.get(key) ?? [])]
  for (const [, skeletons] of lists) {
    const some = skeletons.get(key)
    if (some !== undefined) alike.push(...some)
  }
  return alike
}
