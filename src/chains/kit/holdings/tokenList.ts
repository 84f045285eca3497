import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../../domain/Token.ts"
import { type HistoryPart, type HistoryQuery, tokensOf } from "../../../domain/Transaction.ts"
import { now, numberOf } from "../../../domain/units.ts"
import * as BoundedMap from "../../../kernel/collections/BoundedMap.ts"
import { continuing } from "../../../kernel/continuing.ts"
import { timeoutOption } from "../../../kernel/timeout.ts"
import { type PlatformFacts, type TokenList, TokenRegistry } from "../../../providers/TokenRegistry.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../../Chain.ts"

/** Why a network has no tokens yet; the only temporary reason. */
export const notLoaded = "the list of its tokens is not loaded yet"

/** Follows the token list of a network whose balances and tokens come from these upstreams. */
export const follow = (facts: PlatformFacts, upstreams: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const registry = yield* TokenRegistry
    const list = yield* registry.follow(facts)
    return {
      /** The newest list; see {@link TokenRegistry}. */
      list,
      /** Confirms decimals that were read from the network, by canonical address, as far as the tokens are listed. */
      confirm: (decimals: ReadonlyMap<string, number>) =>
        Effect.flatMap(decimals.size === 0 ? Effect.succeedNone : list, (known) => {
          const differs = ([address, own]: readonly [string, number]) =>
            Option.exists(known, (tokens) => tokens.byAddress.has(address) && tokens.decimalsOf(address) !== own)
          const found = [...decimals].filter(differs)
          return found.length === 0 ? Effect.void : registry.setDecimals(facts.platform, new Map(found))
        }),
      abilities: Effect.map(registry.has(facts.platform), (has) => ({
        balance: Either.right(upstreams),
        tokens: has ? Either.right(upstreams) : Either.left(notLoaded)
      }))
    }
  })

/** The decimals of the tokens in holdings that have an amount. */
export const decimalsOf = (
  read: ReadonlyArray<Either.Either<ReadonlyArray<Holding>, unknown>>
): ReadonlyMap<string, number> =>
  new Map(
    Arr.getRights(read)
      .flat()
      .flatMap(({ amount, asset }) =>
        asset === "native" || Either.isLeft(amount) ? [] : [[asset.address, asset.decimals] as const]
      )
  )

/** Why tokens are missing from holdings that were read with this list. */
export const missingTokens = (known: Option.Option<TokenList>): ReadFailure | undefined =>
  Option.isSome(known) ? undefined : { reason: "upstream_error", message: `${notLoaded}: native coins only` }

export const unread = ({ message, reason }: UpstreamError | ReadFailure): ReadFailure => ({ reason, message })

/** Why single addresses have no tokens. */
export const unreadTokensOf = <A>(
  read: ReadonlyArray<Either.Either<A, unknown>>,
  errorOf: (balances: A) => UpstreamError | undefined
): ReadonlyArray<ReadFailure | undefined> =>
  read.map((balances) => {
    const error = Either.isRight(balances) ? errorOf(balances.right) : undefined
    return error && unread(error)
  })

export const invalidToken = (problem: string): ReadFailure => ({
  reason: "invalid_address",
  message: `tokenAddress: ${problem}`
})

/** A token that is not in the registry: it has no name and no price. */
export const unregistered =
  (address: string) =>
  (decimals: number): Token => ({ address, decimals, name: "", symbol: "", thumbnail: "" })

/** Maximum number of tokens whose decimals are known. */
const capacity = 20_000

/** How long decimals count that only one source states, ms: shorter than the caller of a wrong one waits for a right one. */
const doubtedFor = 10 * 60_000

/**
 * Decimals that a source returned, by token. They never change, so that those which the token list states too are read
 * once. Others are read again: their source may have been wrong.
 */
export const knownDecimals = (name: string, list: Effect.Effect<Option.Option<TokenList>>) =>
  Effect.map(BoundedMap.sized<number>(name, capacity), (known) => ({
    get: (token: string): Effect.Effect<number | undefined> =>
      Effect.map(now, (clock) => known.get(token, numberOf(clock))),
    add: (decimals: ReadonlyMap<string, number>): Effect.Effect<void> =>
      Effect.zipWith(list, now, (tokens, clock) => {
        for (const [token, own] of decimals) {
          const isListed = Option.exists(tokens, ({ byAddress }) => byAddress.get(token)?.decimals === own)
          known.set(token, own, isListed ? undefined : numberOf(clock) + doubtedFor)
        }
      })
  }))

/** How long a history waits for decimals, ms: less than the time left to a request after its networks were read. */
const historyWait = 250

type TokenLists = Effect.Effect<Option.Option<TokenList>>
type Confirm = (addresses: ReadonlyArray<string>) => Effect.Effect<unknown>

/** Waits briefly for the decimals of listed tokens that are not confirmed. They are read to the end in any case. */
const waiting = (list: TokenLists, confirm: Confirm) => {
  const start = continuing(confirm)
  return (moved: ReadonlyArray<string>): Effect.Effect<unknown> =>
    moved.length === 0
      ? Effect.void
      : Effect.gen(function* () {
          const known = yield* list
          const isOpen = (token: string) =>
            Option.exists(known, ({ byAddress, decimalsOf }) => byAddress.has(token) && decimalsOf(token) === undefined)
          yield* Effect.forEach(yield* start([...new Set(moved)].filter(isOpen)), Deferred.await, { discard: true })
        }).pipe(timeoutOption(historyWait))
}

/**
 * Lets a history wait briefly for the decimals of its listed tokens that are not confirmed, so that it is formatted with
 * them, and with those of stored transactions. They are read to the end, so that a later history has them.
 */
export const withDecimals = <Query>(
  history: (query: Query) => Effect.Effect<HistoryPart, ReadFailure>,
  list: TokenLists,
  confirm: Confirm
) => {
  const wait = waiting(list, confirm)
  return (query: Query & Pick<HistoryQuery, "tokens">) =>
    Effect.tap(history(query), ({ transactions }) => wait([...tokensOf(transactions), ...(query.tokens ?? [])]))
}

/** Lets a transaction that is looked up by its hash wait like {@link withDecimals}. */
export const confirming = (find: NonNullable<Chain["Type"]["transaction"]>, list: TokenLists, confirm: Confirm) => {
  const wait = waiting(list, confirm)
  return (hash: string): ReturnType<typeof find> =>
    Effect.tap(find(hash), ({ transaction }) => wait(transaction === undefined ? [] : tokensOf([transaction])))
}
