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
import { Background } from "../kernel/Background.ts"
import { span } from "../kernel/span.ts"
import { timeoutOption } from "../kernel/timeout.ts"
import { upstreamTimeout } from "../settings/Timeout.ts"
import * as Store from "../storage/Store.ts"
import { CoinGecko } from "./CoinGecko.ts"
import { correcting, join, listOf, type PlatformFacts, type RegisteredToken, type TokenList } from "./TokenList.ts"

export type { PlatformFacts, RegisteredToken, TokenList } from "./TokenList.ts"

/**
 * The tokens that the service knows: CoinGecko's list of each platform (address, symbol, decimals, icon) joined with its
 * list of coins (coin id per address). Refreshed daily, kept in the store, so that a start has the last lists at once.
 */
export class TokenRegistry extends Context.Tag("providers/TokenRegistry")<
  TokenRegistry,
  {
    /**
     * Begins to keep the list of a platform. The effect it gives is the newest list, none until there is one; it waits
     * for a first load under way, at most as long as one attempt at an upstream may take.
     */
    readonly follow: (facts: PlatformFacts) => Effect.Effect<Effect.Effect<Option.Option<TokenList>>>
    /** The newest list of every platform that has one, by platform. */
    readonly lists: Effect.Effect<ReadonlyMap<string, TokenList>>
    /** The ids of all coins there are, as far as the list of coins was loaded by this process. */
    readonly coinIds: Effect.Effect<ReadonlySet<string> | undefined>
    /** Whether there is a list of a platform now. */
    readonly has: (platform: string) => Effect.Effect<boolean>
    /** The platform and native coin that CoinGecko has for a chain id. */
    readonly chain: (
      chainId: number
    ) => Effect.Effect<Option.Option<{ readonly platform: string; readonly native: Option.Option<CoinId> }>>
    /**
     * Sets the decimals of tokens of a platform, by canonical address, as their contracts declare them: they hold instead
     * of those of its list, of the newest and of all that follow.
     */
    readonly correct: (platform: string, decimals: ReadonlyMap<string, number>) => Effect.Effect<void>
    /** Brings the gauges of size and age up to date. */
    readonly measure: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    TokenRegistry,
    Effect.gen(function* () {
      const coingecko = yield* CoinGecko
      const scope = yield* Effect.scope
      const { turn } = yield* Background
      const timeout = yield* upstreamTimeout
      const stored = yield* Store.dated("tokens", 1, Schema.Array(Stored))
      const lists = new Map<string, TokenList>()
      const declared = new Map<string, ReadonlyMap<string, number>>()
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

      const keepList = (platform: string, rows: ReadonlyArray<RegisteredToken>, at: number) => {
        lists.set(platform, listOf(rows, at))
        return stored.setMany(new Map([[platform, { at, value: rows }]]), storedFor)
      }

      const load = Effect.fnUntraced(function* (facts: PlatformFacts) {
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
          yield* Effect.logWarning(`token list of ${facts.platform}: ${rows.length} instead of ${known}, ignored`)
          return
        }
        yield* keepList(facts.platform, correcting(rows, declared.get(facts.platform)), at)
        yield* Effect.logInfo(`token list of ${facts.platform}: ${rows.length} tokens`)
      }, span("TokenRegistry.load"))

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
                Effect.logWarning(`token list of ${facts.platform} could not be fetched: ${error.message}`)
              ),
              Effect.catchAllDefect((defect) =>
                Effect.logError(`token list of ${facts.platform}: internal error`, defect)
              )
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
            yield* Effect.forkIn(Effect.zipRight(turn, keep(facts, first)), scope)
            return Deferred.await(first).pipe(
              timeoutOption(timeout),
              Effect.map(() => Option.fromNullable(lists.get(facts.platform)))
            )
          }),
        lists: Effect.succeed(lists),
        coinIds: Effect.sync(() => coinIds),
        has: (platform) => Effect.sync(() => lists.has(platform)),
        chain: (chainId) =>
          platforms.pipe(
            Effect.map((all) =>
              Option.map(Option.fromNullable(all.find((item) => item.chain_identifier === chainId)), (element) => ({
                platform: element.id,
                native: Option.flatMap(Option.fromNullable(element.native_coin_id), asCoinId)
              }))
            ),
            Effect.catchAll((error) =>
              Effect.as(Effect.logWarning(`platforms could not be fetched: ${error.message}`), Option.none())
            )
          ),
        correct: (platform, decimals) =>
          Effect.suspend(() => {
            declared.set(platform, new Map([...(declared.get(platform) ?? []), ...decimals]))
            const known = lists.get(platform)
            const rows = known === undefined ? [] : correcting(known.tokens, decimals)
            return known === undefined || rows === known.tokens ? Effect.void : keepList(platform, rows, known.at)
          }),
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

  /** Lists that are not loaded from anywhere, by platform. */
  static readonly layerTest = (lists: Readonly<Record<string, ReadonlyArray<RegisteredToken>>>) =>
    Layer.sync(TokenRegistry, () => {
      const known = new Map(Object.entries(lists).map(([platform, tokens]) => [platform, listOf(tokens, 0)]))
      return {
        follow: ({ platform }) => Effect.succeed(Effect.sync(() => Option.fromNullable(known.get(platform)))),
        lists: Effect.succeed(known),
        coinIds: Effect.succeed(undefined),
        has: (platform) => Effect.succeed(known.has(platform)),
        chain: () => Effect.succeedNone,
        correct: (platform, decimals) =>
          Effect.sync(() => {
            const list = known.get(platform)
            if (list !== undefined) known.set(platform, listOf(correcting(list.tokens, decimals), list.at))
          }),
        measure: Effect.void
      }
    })
}

const refreshEvery = 24 * 60 * 60 * 1000
const firstPause = 15_000
const longestPause = 10 * 60 * 1000

/** An outage of the lists may be long; what was known stays right for the most part. */
const storedFor = "60 days"

const size = Metric.gauge("token_registry_tokens", { description: "Tokens known, by platform" })
const age = Metric.gauge("token_registry_age_seconds", { description: "Age of the token list, by platform" })

const Stored = Schema.Struct({ ...Token.fields, coinId: CoinId })

const asCoinId = Schema.decodeUnknownOption(CoinId)

/** One answer for all who ask within an hour; a failure is kept as long as it takes all to hear of it. */
const shared = <A, E>(effect: Effect.Effect<A, E>, scope: Scope.Scope) =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, "1 hour"), ([answer, forget]) =>
    Effect.tapErrorCause(answer, () => Effect.forkIn(Effect.delay(forget, "10 seconds"), scope))
  )
