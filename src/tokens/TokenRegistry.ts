import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { CoinId } from "../domain/CoinId.ts"
import { Token } from "../domain/Token.ts"
import { upstreamTimeout } from "../settings/Timeout.ts"
import * as Store from "../stores/Store.ts"
import { CoinGecko, type ListedCoin, type ListedToken } from "../upstreams/CoinGecko.ts"

/** A token that has a coin id, and so can have a price. */
export type RegisteredToken = Token & { readonly coinId: CoinId }

/** The tokens of one platform. Never changed: a refresh makes a new list. */
export interface TokenList {
  readonly tokens: ReadonlyArray<RegisteredToken>
  /** By canonical address. */
  readonly byAddress: ReadonlyMap<string, RegisteredToken>
  /** When the list was made, ms. */
  readonly at: number
}

/** What the registry needs to know of a platform to keep its list. */
export interface PlatformFacts {
  /** CoinGecko's id of it. */
  readonly platform: string
  /** The canonical form of a contract address; none for one that is malformed. */
  readonly canonical: (address: string) => Option.Option<string>
  /**
   * For platforms without a token list of their own: tokens of the list of coins are taken too, with these decimals until
   * the network itself tells theirs.
   */
  readonly unlisted?: { readonly decimals: number }
}

/**
 * The tokens that the service knows: CoinGecko's list of each platform (address, symbol, decimals, icon) joined with its
 * list of coins (coin id per address). Refreshed daily, kept in the store, so that a start has the last lists at once.
 */
export class TokenRegistry extends Context.Tag("tokens/TokenRegistry")<
  TokenRegistry,
  {
    /**
     * Begins to keep the list of a platform. The effect it gives is the newest list, none until there is one; it waits
     * for a first load under way, at most as long as one attempt at an upstream may take.
     */
    readonly follow: (facts: PlatformFacts) => Effect.Effect<Effect.Effect<Option.Option<TokenList>>>
    /** Whether there is a list of a platform now. */
    readonly has: (platform: string) => Effect.Effect<boolean>
    /** The platform and native coin that CoinGecko has for a chain id. */
    readonly chain: (
      chainId: number
    ) => Effect.Effect<Option.Option<{ readonly platform: string; readonly native: Option.Option<CoinId> }>>
    /** Brings the gauges of size and age up to date. */
    readonly measure: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    TokenRegistry,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko
      const scope = yield* Effect.scope
      const timeout = yield* upstreamTimeout
      const stored = yield* Store.dated("tokens", 1, Schema.Array(Stored))
      const lists = new Map<string, TokenList>()
      const coins = yield* shared(coingecko.coins, scope)
      const platforms = yield* shared(coingecko.platforms, scope)

      const load = Effect.fn("TokenRegistry.load")(function* (facts: PlatformFacts) {
        // Either: a list that fails must not stop the list of coins, for which other platforms wait too.
        const [tokens, listed] = yield* Effect.all([Effect.either(coingecko.tokens(facts.platform)), coins], {
          concurrency: 2
        })
        const noList = Either.isLeft(tokens) && tokens.left.status === 404 && facts.unlisted !== undefined
        const rows = join(noList ? [] : yield* tokens, listed, facts)
        const at = yield* Clock.currentTimeMillis
        const known = lists.get(facts.platform)?.tokens.length ?? 0
        // A list without tokens, or that lost most of them, is a broken answer and not a world without tokens.
        if (rows.length === 0 || rows.length < known / 2) {
          yield* Effect.logWarning(`token list of ${facts.platform}: ${rows.length} instead of ${known}, not taken`)
          return
        }
        lists.set(facts.platform, listOf(rows, at))
        yield* stored.setMany(new Map([[facts.platform, { at, value: rows }]]), keptFor)
        yield* Effect.logInfo(`token list of ${facts.platform}: ${rows.length} tokens`)
      })

      const keep = (facts: PlatformFacts, first: Deferred.Deferred<void>) =>
        Effect.gen(function* () {
          const found = (yield* stored.getMany([facts.platform])).get(facts.platform)
          if (found !== undefined) {
            lists.set(facts.platform, listOf(found.value, found.at))
            yield* Deferred.succeed(first, undefined)
          }
          let pause = firstPause
          while (true) {
            const known = lists.get(facts.platform)
            const due = known === undefined ? 0 : known.at + refreshEvery - (yield* Clock.currentTimeMillis)
            // A clock that was set back must not put the refresh off for longer than usual.
            if (due > 0) yield* Effect.sleep(Math.min(due, refreshEvery))
            yield* load(facts).pipe(
              Effect.catchAll((error) =>
                Effect.logWarning(`token list of ${facts.platform} cannot be had: ${error.message}`)
              ),
              Effect.catchAllDefect((defect) => Effect.logError(`token list of ${facts.platform}: a fault`, defect))
            )
            yield* Deferred.succeed(first, undefined)
            if (lists.get(facts.platform) === known) {
              yield* Effect.sleep(pause)
              pause = Math.min(pause * 2, longestPause)
            } else pause = firstPause
          }
        })

      return {
        follow: (facts) =>
          Effect.gen(function* () {
            const first = yield* Deferred.make<void>()
            yield* Effect.forkIn(keep(facts, first), scope)
            return Deferred.await(first).pipe(
              Effect.timeoutOption(timeout),
              Effect.map(() => Option.fromNullable(lists.get(facts.platform)))
            )
          }),
        has: (platform) => Effect.sync(() => lists.has(platform)),
        chain: (chainId) =>
          platforms.pipe(
            Effect.map((all) =>
              Option.map(Option.fromNullable(all.find((one) => one.chain_identifier === chainId)), (one) => ({
                platform: one.id,
                native: Option.flatMap(Option.fromNullable(one.native_coin_id), asCoinId)
              }))
            ),
            Effect.catchAll((error) =>
              Effect.as(Effect.logWarning(`platforms cannot be had: ${error.message}`), Option.none())
            )
          ),
        measure: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          for (const [platform, list] of lists) {
            yield* Metric.set(Metric.tagged(size, "platform", platform), list.tokens.length)
            yield* Metric.set(Metric.tagged(age, "platform", platform), (now - list.at) / 1000)
          }
        })
      }
    })
  )

  /** Lists that never change, by platform. */
  static readonly layerTest = (lists: Readonly<Record<string, ReadonlyArray<RegisteredToken>>>) =>
    Layer.succeed(TokenRegistry, {
      follow: ({ platform }) => {
        const tokens = lists[platform]
        const list = tokens === undefined ? Option.none() : Option.some(listOf(tokens, 0))
        return Effect.succeed(Effect.succeed(list))
      },
      has: (platform) => Effect.succeed(lists[platform] !== undefined),
      chain: () => Effect.succeedNone,
      measure: Effect.void
    })
}

const refreshEvery = 24 * 60 * 60 * 1000
const firstPause = 15_000
const longestPause = 10 * 60 * 1000

/** An outage of the lists may be long; what was known stays right for the most part. */
const keptFor = "60 days"

const size = Metric.gauge("token_registry_tokens", { description: "Tokens known, by platform" })
const age = Metric.gauge("token_registry_age_seconds", { description: "Age of the token list, by platform" })

const Stored = Schema.Struct({ ...Token.fields, coinId: CoinId })

const asCoinId = Schema.decodeUnknownOption(CoinId)

const listOf = (tokens: ReadonlyArray<RegisteredToken>, at: number): TokenList => ({
  tokens,
  byAddress: new Map(tokens.map((token) => [token.address, token])),
  at
})

/** One answer for all who ask within an hour; a failure is kept as long as it takes all to hear of it. */
const shared = <A, E>(effect: Effect.Effect<A, E>, scope: Scope.Scope) =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, "1 hour"), ([answer, forget]) =>
    Effect.tapErrorCause(answer, () => Effect.forkIn(Effect.delay(forget, "10 seconds"), scope))
  )

/** The tokens of a list that have a coin id; an address that stands twice counts once. */
const join = (
  tokens: ReadonlyArray<ListedToken>,
  coins: ReadonlyArray<ListedCoin>,
  { canonical, platform, unlisted }: PlatformFacts
): ReadonlyArray<RegisteredToken> => {
  const claims = new Map<string, Map<CoinId, ListedCoin>>()
  for (const coin of coins) {
    const address = Option.flatMap(Option.fromNullable(coin.platforms[platform]), canonical)
    const coinId = asCoinId(coin.id)
    if (Option.isNone(address) || Option.isNone(coinId)) continue
    claims.set(address.value, new Map([...(claims.get(address.value) ?? []), [coinId.value, coin]]))
  }
  const joined = new Map<string, RegisteredToken>()
  for (const token of tokens) {
    const address = Option.getOrUndefined(canonical(token.address))
    const [coinId] = (address === undefined ? undefined : theOne(claims.get(address), token.symbol)) ?? []
    if (address !== undefined && coinId !== undefined)
      joined.set(address, {
        address,
        coinId,
        name: token.name,
        symbol: token.symbol,
        decimals: token.decimals,
        thumbnail: token.logoURI ?? ""
      })
  }
  if (unlisted !== undefined)
    for (const [address, claim] of claims) {
      const [coinId, coin] = theOne(claim) ?? []
      if (coinId !== undefined && coin !== undefined && !joined.has(address))
        joined.set(address, {
          address,
          coinId,
          name: coin.name,
          symbol: coin.symbol.toUpperCase(),
          decimals: unlisted.decimals,
          thumbnail: ""
        })
    }
  return [...joined.values()]
}

/** Several coins may claim one contract: then only the one that is called like the token, for a wrong price is worse than none. */
const theOne = (claim: ReadonlyMap<CoinId, ListedCoin> | undefined, symbol?: string) => {
  const coins = [...(claim ?? [])]
  const namesakes = coins.filter(([, coin]) => coin.symbol.toLowerCase() === symbol?.toLowerCase())
  return coins.length === 1 ? coins[0] : namesakes.length === 1 ? namesakes[0] : undefined
}
