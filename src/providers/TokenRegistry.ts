import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { CoinId } from "../domain/CoinId.ts"
import { Token } from "../domain/Token.ts"
import { Background } from "../kernel/Background.ts"
import { measured } from "../kernel/counters.ts"
import { span } from "../kernel/span.ts"
import { timeoutOption } from "../kernel/timeout.ts"
import { upstreamTimeout } from "../settings/variables.ts"
import * as Store from "../storage/Store.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import { type LogFailure, Upstreams } from "../upstream/Upstreams.ts"
import { CoinGecko, type ListedCoin, type ListedToken } from "./CoinGecko.ts"
import { shrinkGuard } from "./shrinkGuard.ts"

/** A token with a coin id, which can have a price. */
export type RegisteredToken = Token & { readonly coinId: CoinId }

/** The tokens of one platform. Immutable, but for confirmations of decimals: a refresh creates a new list. */
export interface TokenList {
  readonly tokens: ReadonlyArray<RegisteredToken>
  /** By canonical address. */
  readonly byAddress: ReadonlyMap<string, RegisteredToken>
  /** One contract per coin, even if the coin has several on the platform. */
  readonly byCoin: ReadonlyMap<CoinId, RegisteredToken>
  /** The decimals that format amounts of a token: undefined for those that only the list claims; see {@link PlatformFacts}. */
  readonly decimalsOf: (address: string) => number | undefined
  /** Time of creation, ms. */
  readonly at: number
}

/** The facts that the list of a platform needs. */
export interface PlatformFacts {
  /** CoinGecko's id of the platform. */
  readonly platform: string
  /** The canonical form of a contract address; none if it is malformed. */
  readonly canonical: (address: string) => Option.Option<string>
  /**
   * For platforms without a token list at CoinGecko: tokens come from the list of coins, with these decimals until the
   * network returns the actual ones.
   */
  readonly unlisted?: { readonly decimals: number }
  /** Whether the decimals of a list are used only after `setDecimals` has confirmed them. */
  readonly confirms?: true
}

/** Decimals that contracts declare, by canonical address; undefined for a contract that declares none. */
export type DeclaredDecimals = ReadonlyMap<string, number | undefined>

/**
 * The listed tokens: CoinGecko's list of each platform (address, symbol, decimals, icon) joined with its list of coins
 * (coin id per address). Refreshed daily and stored, so that a new process has the last lists at once.
 */
export class TokenRegistry extends Context.Tag("providers/TokenRegistry")<
  TokenRegistry,
  {
    /**
     * Starts to load and refresh the list of a platform, once for all callers. The returned effect is the newest list,
     * or none before there is a list. During the first load it waits, up to the timeout of one upstream attempt.
     */
    readonly follow: (facts: PlatformFacts) => Effect.Effect<Effect.Effect<Option.Option<TokenList>>>
    /** The newest lists, by platform. */
    readonly lists: Effect.Effect<ReadonlyMap<string, TokenList>>
    /** The ids of all coins; undefined until this process has loaded the list of coins. */
    readonly coinIds: Effect.Effect<ReadonlySet<string> | undefined>
    /** Whether the list of a platform is loaded. */
    readonly has: (platform: string) => Effect.Effect<boolean>
    /** CoinGecko's platform and native coin for a chain id. */
    readonly chain: (
      chainId: number
    ) => Effect.Effect<Option.Option<{ readonly platform: string; readonly native: Option.Option<CoinId> }>>
    /**
     * Sets the decimals of tokens of a platform, by canonical address, to those that their contracts declare, in the
     * newest list and all later ones. Undefined confirms those of the list: the contract declares none.
     */
    readonly setDecimals: (platform: string, decimals: DeclaredDecimals) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    TokenRegistry,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko
      const scope = yield* Effect.scope
      const { awaitStart: turn } = yield* Background
      const timeout = yield* upstreamTimeout
      const lists = yield* tokenLists
      const logFailure = yield* Upstreams.logFailure
      let coinIds: ReadonlySet<string> | undefined
      const coins = yield* shared(
        Effect.tap(coingecko.coins, (listed) =>
          Effect.sync(() => {
            if (listed.length > 0) coinIds = new Set(listed.map(({ id }) => id))
          })
        ),
        scope
      )
      const platforms = yield* shared(coingecko.platforms, scope)
      const load = withSummaryLog(loading(coingecko.tokens, coins, lists), lists.current)
      const followed = new Map<string, Effect.Effect<Option.Option<TokenList>>>()
      yield* measured(updateGauges(lists.current))

      return {
        follow: Effect.fnUntraced(function* (facts) {
          const known = followed.get(facts.platform)
          if (known !== undefined) return known
          if (facts.confirms) lists.confirming.add(facts.platform)
          const first = Deferred.unsafeMake<void>(FiberId.none)
          const newest = Deferred.await(first).pipe(
            timeoutOption(timeout),
            Effect.map(() => Option.fromNullable(lists.current.get(facts.platform)))
          )
          followed.set(facts.platform, newest)
          yield* Effect.forkIn(
            Effect.zipRight(turn, refreshing(lists, load(facts), facts.platform, logFailure, first)),
            scope
          )
          return newest
        }),
        lists: Effect.succeed(lists.current),
        coinIds: Effect.sync(() => coinIds),
        has: (platform) => Effect.sync(() => lists.current.has(platform)),
        chain: (chainId) =>
          platforms.pipe(
            Effect.map((all) =>
              Option.map(
                Option.fromNullable(all.find((platform) => platform.chain_identifier === chainId)),
                (found) => ({
                  platform: found.id,
                  native: Option.flatMap(Option.fromNullable(found.native_coin_id), asCoinId)
                })
              )
            ),
            Effect.catchAll((error) => Effect.as(logFailure("platforms could not be fetched", error), Option.none()))
          ),
        setDecimals: lists.setDecimals
      }
    })
  )

  /** A registry with fixed lists, by platform. */
  static readonly layerTest = (lists: Readonly<Record<string, ReadonlyArray<RegisteredToken>>>) =>
    Layer.sync(TokenRegistry, () => {
      const confirmed = confirmations()
      const build = (platform: string, tokens: ReadonlyArray<RegisteredToken>, at = 0) =>
        listOf(tokens, at, confirmed.of(platform))
      const current = new Map(Object.entries(lists).map(([platform, tokens]) => [platform, build(platform, tokens)]))
      return {
        follow: ({ confirms, platform }) => {
          if (confirms) confirmed.confirming.add(platform)
          return Effect.succeed(Effect.sync(() => Option.fromNullable(current.get(platform))))
        },
        lists: Effect.succeed(current),
        coinIds: Effect.succeed(undefined),
        has: (platform) => Effect.succeed(current.has(platform)),
        chain: () => Effect.succeedNone,
        setDecimals: (platform, decimals) =>
          Effect.sync(() => {
            confirmed.add(platform, decimals)
            const list = current.get(platform)
            if (list !== undefined) current.set(platform, build(platform, correcting(list.tokens, decimals), list.at))
          })
      }
    })
}

const refreshEvery = 24 * 60 * 60 * 1000
const firstPause = 15_000
const longestPause = 10 * 60 * 1000

const size = Metric.gauge("token_registry_tokens", { description: "Number of known tokens, by platform" })
const age = Metric.gauge("token_registry_age_seconds", { description: "Age of the token list, by platform" })

const asCoinId = Schema.decodeUnknownOption(CoinId)

/** Loads the list of a platform and replaces the current list. */
const loading = (
  tokensOf: (typeof CoinGecko.Service)["tokens"],
  coins: (typeof CoinGecko.Service)["coins"],
  lists: Effect.Effect.Success<typeof tokenLists>,
  guarded = shrinkGuard()
) =>
  Effect.fnUntraced(function* (facts: PlatformFacts) {
    const { platform, unlisted } = facts
    // Either: a failure of this list must not interrupt the list of coins, for which other platforms wait too.
    const [tokens, listed] = yield* Effect.all([Effect.either(tokensOf(platform)), coins], { concurrency: 2 })
    const hasNoList = Either.isLeft(tokens) && tokens.left.status === 404 && unlisted !== undefined
    const rows = join(hasNoList ? [] : yield* tokens, listed, facts)
    const at = yield* Clock.currentTimeMillis
    const all = guarded(platform, rows, at, lists.current.get(platform)?.tokens)
    if (all === undefined)
      return yield* Effect.logWarning(`token list of ${platform}: only ${rows.length} tokens, ignored`)
    yield* lists.replace(platform, all, at)
    yield* Effect.logDebug(`token list of ${platform}: ${all.length} tokens`)
  }, span("TokenRegistry.load"))

/** Logs only one line if several lists are loaded at once. */
const withSummaryLog = (
  load: ReturnType<typeof loading>,
  lists: ReadonlyMap<string, TokenList>
): ReturnType<typeof loading> => {
  let loads = 0
  const summary = Effect.suspend(() => {
    const count = [...lists.values()].reduce((sum, { tokens }) => sum + tokens.length, 0)
    return Effect.logInfo(`token lists: ${count} tokens of ${lists.size} platforms`)
  })
  return (facts) =>
    Effect.acquireUseRelease(
      Effect.sync(() => loads++),
      () => load(facts),
      () => Effect.suspend(() => (--loads > 0 || lists.size === 0 ? Effect.void : summary))
    )
}

/** Loads a list whenever it is due, forever. `first` completes when the list is restored or the first load ends. */
const refreshing = (
  lists: Effect.Effect.Success<typeof tokenLists>,
  load: Effect.Effect<void, UpstreamError>,
  platform: string,
  logFailure: LogFailure,
  first: Deferred.Deferred<void>
) =>
  Effect.gen(function* () {
    if (yield* lists.restore(platform)) yield* Deferred.succeed(first, undefined)
    let pause = firstPause
    while (true) {
      const before = lists.current.get(platform)
      const due = before === undefined ? 0 : before.at + refreshEvery - (yield* Clock.currentTimeMillis)
      // If the clock was set back, the refresh must not be delayed for longer than usual.
      if (due > 0) yield* Effect.sleep(Math.min(due, refreshEvery))
      yield* load.pipe(
        Effect.catchAll((error) => logFailure(`token list of ${platform} could not be fetched`, error)),
        Effect.catchAllDefect((defect) => Effect.logError(`token list of ${platform}: internal error`, defect))
      )
      yield* Deferred.succeed(first, undefined)
      if (lists.current.get(platform) === before) {
        yield* Effect.sleep(pause)
        pause = Math.min(pause * 2, longestPause)
      } else pause = firstPause
    }
  })

const updateGauges = (lists: ReadonlyMap<string, TokenList>) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [platform, list] of lists) {
      yield* Metric.set(Metric.tagged(size, "platform", platform), list.tokens.length)
      yield* Metric.set(Metric.tagged(age, "platform", platform), (now - list.at) / 1000)
    }
  })

/** Shares a response among all callers of an hour, and a failure among the callers of 10 seconds. */
const shared = <A, E>(effect: Effect.Effect<A, E>, scope: Scope.Scope) =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, "1 hour"), ([response, invalidate]) =>
    Effect.tapErrorCause(response, () => Effect.forkIn(Effect.delay(invalidate, "10 seconds"), scope))
  )

/** Long, because a provider may be down for long and most of a list stays correct. */
const storedFor = "60 days"

const StoredTokens = Schema.Array(Schema.Struct({ ...Token.fields, coinId: CoinId }))

/** The newest token list per platform, in memory and in the store. */
export const tokenLists = Effect.map(Store.dated("tokens", 1, StoredTokens), (stored) => {
  const lists = new Map<string, TokenList>()
  const { add, confirming, declared, of } = confirmations()

  const set = (platform: string, tokens: ReadonlyArray<RegisteredToken>, at: number) => {
    lists.set(platform, listOf(tokens, at, of(platform)))
    return stored.setMany(new Map([[platform, { at, value: tokens }]]), storedFor)
  }

  return {
    current: lists as ReadonlyMap<string, TokenList>,
    /** The platforms whose decimals are used only after their confirmation. */
    confirming,
    /** Loads the list of a platform from the store; returns whether it exists. */
    restore: Effect.fnUntraced(function* (platform: string) {
      const found = (yield* stored.getMany([platform])).get(platform)
      if (found !== undefined) lists.set(platform, listOf(found.value, found.at, of(platform)))
      return found !== undefined
    }),
    replace: (platform: string, tokens: ReadonlyArray<RegisteredToken>, at: number) =>
      set(platform, correcting(tokens, declared.get(platform)), at),
    /** Corrects the decimals of the list and of all later lists. */
    setDecimals: (platform: string, decimals: DeclaredDecimals) =>
      Effect.suspend(() => {
        add(platform, decimals)
        const list = lists.get(platform)
        const tokens = list === undefined ? [] : correcting(list.tokens, decimals)
        return list === undefined || tokens === list.tokens ? Effect.void : set(platform, tokens, list.at)
      })
  }
})

/** The confirmed decimals of a listed token; undefined before their confirmation. */
type Confirm = (token: RegisteredToken) => number | undefined

/** The decimals that contracts declare, by platform. */
const confirmations = () => {
  const confirming = new Set<string>()
  const declared = new Map<string, DeclaredDecimals>()
  return {
    confirming,
    declared: declared as ReadonlyMap<string, DeclaredDecimals>,
    add: (platform: string, decimals: DeclaredDecimals): void => {
      declared.set(platform, new Map([...(declared.get(platform) ?? []), ...decimals]))
    },
    /** The decimals of a token that may format amounts. */
    of:
      (platform: string): Confirm =>
      ({ address, decimals }) => {
        const own = declared.get(platform)
        return !confirming.has(platform) || own?.has(address) ? (own?.get(address) ?? decimals) : undefined
      }
  }
}

export const listOf = (
  tokens: ReadonlyArray<RegisteredToken>,
  at: number,
  confirm: Confirm = ({ decimals }) => decimals
): TokenList => {
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  return {
    tokens,
    byAddress,
    byCoin: new Map(tokens.map((token) => [token.coinId, token])),
    decimalsOf: (address) => {
      const token = byAddress.get(address)
      return token && confirm(token)
    },
    at
  }
}

/** The same tokens with these decimals, by address; the same array if nothing changes. */
const correcting = (
  tokens: ReadonlyArray<RegisteredToken>,
  decimals: DeclaredDecimals = new Map()
): ReadonlyArray<RegisteredToken> => {
  const differs = (token: RegisteredToken) => (decimals.get(token.address) ?? token.decimals) !== token.decimals
  return tokens.some(differs)
    ? tokens.map((token) => (differs(token) ? { ...token, decimals: decimals.get(token.address) ?? 0 } : token))
    : tokens
}

/** The tokens of a list that have a coin id, without duplicate addresses. */
const join = (
  tokens: ReadonlyArray<ListedToken>,
  coins: ReadonlyArray<ListedCoin>,
  { canonical, platform, unlisted }: PlatformFacts
): ReadonlyArray<RegisteredToken> => {
  const claims = new Map<string, Map<CoinId, ListedCoin>>()
  for (const coin of coins) {
    // Before all checks: each platform has only some of the coins.
    const written = coin.platforms[platform] ?? ""
    if (written === "") continue
    const [address, coinId] = [canonical(written), asCoinId(coin.id)]
    if (Option.isNone(address) || Option.isNone(coinId)) continue
    const claim = claims.get(address.value) ?? new Map<CoinId, ListedCoin>()
    claims.set(address.value, claim.set(coinId.value, coin))
  }
  const joined = new Map<string, RegisteredToken>()
  const add = (
    address: string,
    coinId: CoinId,
    { decimals, name, symbol }: Pick<ListedToken, "decimals" | "name" | "symbol">,
    image = ""
  ) => joined.set(address, { address, coinId, name, symbol, decimals, thumbnail: image })
  for (const token of tokens) {
    const address = Option.getOrUndefined(canonical(token.address))
    const [coinId] = (address === undefined ? undefined : uniqueClaimant(claims.get(address), token.symbol)) ?? []
    if (address !== undefined && coinId !== undefined) add(address, coinId, token, token.logoURI ?? "")
  }
  if (unlisted !== undefined)
    for (const [address, claim] of claims) {
      const [coinId, coin] = uniqueClaimant(claim) ?? []
      if (coinId !== undefined && coin !== undefined && !joined.has(address))
        add(address, coinId, { name: coin.name, symbol: coin.symbol.toUpperCase(), decimals: unlisted.decimals })
    }
  return [...joined.values()]
}

/** If several coins claim a contract, returns only a coin with the token's symbol: a wrong price is worse than none. */
const uniqueClaimant = (claim: ReadonlyMap<CoinId, ListedCoin> | undefined, symbol?: string) => {
  const coins = [...(claim ?? [])]
  const namesakes = coins.filter(([, coin]) => coin.symbol.toLowerCase() === symbol?.toLowerCase())
  return coins.length === 1 ? coins[0] : namesakes.length === 1 ? namesakes[0] : undefined
}
