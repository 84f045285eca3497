import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { notLoaded } from "../../chains/kit/holdings/tokenList.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { TokenFacts } from "../../domain/tokens/TokenFacts.ts"
import type { Judgement } from "../../domain/tokens/Verdict.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import { type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { Pricing } from "../prices/Pricing.ts"
import { type AnyNetwork, guarded, sharedReads, type UnknownNetwork, unknownNetworks } from "../reading.ts"
import { type Asset, type SearchIndex, search, searchIndex } from "./searchIndex.ts"
import { judging } from "./verdict.ts"

/** An asset that a text may mean. */
export interface Hit extends Omit<Asset, "coinId" | "contracts"> {
  readonly coinId: string | null
  readonly listed: boolean
  readonly contracts: ReadonlyArray<{
    readonly network: string
    readonly contract: string | null
    readonly decimals: number | null
  }>
}

/** Why hits of a network may be missing. */
type Missing =
  | UnknownNetwork
  | { readonly network: string; readonly message: string; readonly errorCode: ReadFailure["reason"] }

interface SearchResult {
  readonly hits: ReadonlyArray<Hit & Judgement>
  readonly missing: ReadonlyArray<Missing>
}

/** Finds tokens and coins by a text. */
export class TokenSearch extends Context.Tag("features/tokens/TokenSearch")<
  TokenSearch,
  {
    /** At most `limit` hits, on all networks or those with these names. Cannot fail. */
    readonly search: (
      text: string,
      names: ReadonlyArray<string> | undefined,
      limit: number
    ) => Effect.Effect<SearchResult>
  }
>() {
  static readonly layer = Layer.scoped(
    TokenSearch,
    Effect.suspend(() => make)
  )
}

/** Shorter texts are ids of tokens or symbols: they are not looked up on networks. */
const shortestAddress = 20

/** How many tokens that no list has are remembered, and how long (ms). */
const remembered = 1_000
const rememberedFor = 60_000

type TokenLists = ReadonlyMap<string, TokenList>

/** The newest index, which is built again if a list is new. */
const indexing = (networks: ReadonlyArray<ChainFacts>, registry: typeof TokenRegistry.Service) => {
  const semaphore = Effect.unsafeMakeSemaphore(1)
  let last: { readonly tokens: ReadonlyArray<TokenList["tokens"]>; readonly index: SearchIndex } | undefined
  return Effect.gen(function* () {
    const tokens = [...(yield* registry.lists).values()].map((list) => list.tokens)
    if (last?.tokens.length === tokens.length && last.tokens.every((some, index) => some === tokens[index]))
      return last.index
    last = { tokens, index: yield* searchIndex(networks, yield* registry.lists) }
    return last.index
  }).pipe(semaphore.withPermits(1), span("TokenSearch.index"))
}

type FactsRead = Either.Either<Option.Option<TokenFacts>, ReadFailure>

/** A contract on a network whose address it may be. */
interface ReadContract {
  readonly network: string
  readonly contract: string
  readonly result: FactsRead
}

/** Reads the contracts of tokens that no list has; none if there is no token at an address. */
const lookingUp = Effect.gen(function* () {
  const deadline = Deadline.make(yield* requestDeadline)
  const shared = yield* sharedReads<FactsRead>("searched_tokens", remembered)

  const read = (network: AnyNetwork, contract: string, facts: NonNullable<AnyNetwork["tokenFacts"]>) =>
    shared(
      `${network.facts.id} ${contract}`,
      Effect.either(guarded(network, deadline.share("read"), facts(contract))),
      (result, now) => (Either.isRight(result) ? now + rememberedFor : undefined)
    )

  return (addressed: ReadonlyArray<readonly [AnyNetwork, string]>): Effect.Effect<ReadonlyArray<ReadContract>> =>
    Effect.map(
      each(addressed, ([network, contract]) =>
        network.tokenFacts === undefined
          ? Effect.succeed([])
          : Effect.map(read(network, contract, network.tokenFacts), (result) => [
              { network: network.facts.id, contract, result }
            ])
      ),
      (all) => all.flat()
    )
})

type Judge = Effect.Effect.Success<ReturnType<typeof judging>>

/** The hits among contracts that no list has, suspicious ones last. */
const unlistedHits = (found: ReadonlyArray<ReadContract>, judge: Judge): ReadonlyArray<Hit & Judgement> =>
  found
    .flatMap(({ contract, network, result }) =>
      Option.match(Option.flatten(Either.getRight(result)), {
        onNone: () => [],
        onSome: ({ decimals, inconsistent, ...facts }) => {
          const [name, symbol] = [facts.name ?? "", facts.symbol ?? ""]
          const signs = inconsistent === true ? (["inconsistent"] as const) : []
          const verdict = judge({ network, address: contract, name, symbol, listed: false, hasPrice: false, signs })
          const contracts = [{ network, contract, decimals }]
          return [{ coinId: null, symbol, name, thumbnail: "", listed: false, ...verdict, contracts }]
        }
      })
    )
    .sort((a, b) => Number(a.verdict === "suspicious") - Number(b.verdict === "suspicious"))

/** Why hits may be missing: lists that are not loaded, and contracts that could not be read. */
const missingOf = (
  networks: ReadonlyArray<AnyNetwork>,
  lists: TokenLists,
  found: ReadonlyArray<ReadContract>
): ReadonlyArray<Missing> => [
  ...networks.flatMap(({ facts: { id, platform } }) =>
    platform === undefined || lists.has(platform)
      ? []
      : [{ network: id, message: notLoaded, errorCode: "upstream_error" as const }]
  ),
  ...found.flatMap(({ network, result }) =>
    Either.isLeft(result) ? [{ network, message: result.left.message, errorCode: result.left.reason }] : []
  )
]

const make = Effect.gen(function* () {
  const networks = yield* Chains
  const registry = yield* TokenRegistry
  const prices = yield* (yield* Pricing).memory
  const capitalisations = yield* (yield* CoinGecko).capitalisations
  const lookUp = yield* lookingUp
  const index = indexing(networks.facts, registry)
  const judged = judging(registry, networks.facts)
  const unknown = unknownNetworks(networks.facts)

  return {
    search: Effect.fnUntraced(function* (text, names, limit) {
      const find = names === undefined ? undefined : yield* networks.named(names)
      const chosen = find && new Set(names?.flatMap((name) => Option.toArray(find(name))))
      const all = (yield* networks.all).filter((network) => chosen?.has(network) ?? true)
      const ids = new Set<string>(all.map(({ facts }) => facts.id))
      const lists = yield* registry.lists
      const addressed = all.flatMap((network) =>
        canonical(network, text).map((contract) => [network, contract] as const)
      )
      const now = yield* Clock.currentTimeMillis
      const sizeOf = ({ coinId }: Asset) =>
        capitalisations.get(coinId) ?? prices.current(coinId as CoinId, now)?.fdv ?? 0
      const isWanted = ({ contracts }: Asset) =>
        chosen === undefined || contracts.some(({ network }) => ids.has(network))
      const { byCoin, ...rest } = yield* index
      const ofAddress = addressed.flatMap(([{ facts }, contract]) => {
        const coin = listOf(facts, lists)?.byAddress.get(contract)?.coinId
        return coin === undefined ? [] : (byCoin.get(coin) ?? [])
      })
      const assets = [...new Set([...ofAddress, ...search({ byCoin, ...rest }, text, limit, sizeOf, isWanted)])].slice(
        0,
        limit
      )
      const isUnlisted = assets.length === 0 && text.trim().length >= shortestAddress
      const found = isUnlisted ? yield* lookUp(addressed) : []
      const judge = yield* judged
      const listed = assets.map((asset) => {
        const contracts = asset.contracts.filter(({ network }) => ids.has(network))
        const { network = "", contract } = contracts[0] ?? {}
        const hasPrice = prices.current(asset.coinId as CoinId, now) !== undefined
        const verdict = judge({ ...asset, network, address: contract ?? "", listed: true, hasPrice })
        return { ...asset, listed: true, ...verdict, contracts }
      })
      return {
        hits: [...listed, ...unlistedHits(found, judge)].slice(0, limit),
        missing: [...unknown(names ?? []), ...missingOf(all, lists, found)]
      }
    }, span("TokenSearch.search"))
  } satisfies typeof TokenSearch.Service
})

const listOf = ({ platform }: ChainFacts, lists: TokenLists) => lists.get(platform ?? "")

/** The canonical form of a text that may be a token of the network. */
const canonical = ({ address, canonicalToken }: AnyNetwork, text: string): ReadonlyArray<string> =>
  Option.toArray(canonicalToken === undefined ? Either.getRight(address(text.trim())) : canonicalToken(text.trim()))
