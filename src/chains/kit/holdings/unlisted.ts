import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../../domain/Token.ts"
import * as Deadline from "../../../kernel/Deadline.ts"
import { timeoutTo } from "../../../kernel/timeout.ts"
import type { TokenList } from "../../../providers/TokenRegistry.ts"
import type { Holding, ReadFailure } from "../../Chain.ts"
import { type ScalingRead, scaled } from "./scaled.ts"

/** Optional content of holdings. */
export interface HoldingsOptions {
  /** Whether tokens that the registry does not have are read too. */
  readonly unlisted?: boolean | undefined
  /** Time (ms) by which unlisted tokens must be read, so that they do not delay the others. */
  readonly until?: number | undefined
}

/** The tokens of an address that the registry does not have. */
export interface UnlistedTokens {
  /** Tokens with a confirmed balance above zero, at most {@link maxUnlisted}. They have no coin id. */
  readonly tokens: ReadonlyArray<Holding>
  /** The number of tokens beyond that limit. */
  readonly omitted: number
  /** The number of tokens that were left out because they declare no decimals. */
  readonly withoutDecimals: number
  /** Why there may be other tokens. */
  readonly unread?: ReadFailure
  /** Those that the source marks as a scam. */
  readonly scams?: ReadonlySet<string>
}

/** Maximum number of tokens of an address: anyone can send it any number. */
export const maxUnlisted = 500

/** Longest name or symbol: a contract may return any length. */
export const maxText = 256

const noTokens = { tokens: [], omitted: 0, withoutDecimals: 0 }

/** No token could be read. */
export const unreadUnlisted = (unread: ReadFailure): UnlistedTokens => ({ ...noTokens, unread })

/** What a token declares of itself. */
export interface Declared extends Pick<Token, "decimals">, Partial<Pick<Token, "name" | "symbol">> {
  readonly scaling?: ScalingRead
}

/** A token and its owner's balance. */
export interface OwnedToken {
  readonly address: string
  /** Base units; undefined if it could not be read. */
  readonly amount: bigint | undefined
  /** What came with the balance; null if the token declares no decimals, absent if that must be read. */
  readonly declared?: Declared | null | undefined
}

/** The tokens of each address before their decimals are known; left if they were not read. */
export type Unlisted = Either.Either<
  {
    readonly owned: ReadonlyArray<OwnedToken>
    /** The number of tokens whose balance was not read, because there are too many. */
    readonly more?: number
    readonly scams?: ReadonlySet<string>
    readonly unread?: ReadFailure | undefined
  },
  ReadFailure
>

/** The tokens of an owner that are not in the list. Without a list, no token is known to be in none. */
export const notIn = (known: Option.Option<TokenList>, owned: Iterable<OwnedToken>): ReadonlyArray<OwnedToken> =>
  Option.match(known, {
    onNone: () => [],
    onSome: ({ byAddress }) =>
      Array.from(owned).filter(({ address, amount }) => amount !== 0n && !byAddress.has(address))
  })

/** How long the declarations of unlisted tokens may take, ms, so that the other tokens are not late. */
const declaredWithin = 2_000

type Declarations = ReadonlyMap<string, Either.Either<Declared | null, ReadFailure>>

/**
 * The holdings of the unlisted tokens of each address; nothing if they were not requested. A token that declares no
 * decimals, which is null in the declarations, is left out and counted. Cannot fail.
 */
export const readUnlisted = (
  read: ReadonlyArray<Unlisted> | undefined,
  declare: (tokens: ReadonlyArray<string>) => Effect.Effect<Declarations>,
  until = Number.POSITIVE_INFINITY
): Effect.Effect<{ readonly unlisted?: ReadonlyArray<UnlistedTokens> }> => {
  if (read === undefined) return Effect.succeed({})
  const owned = Arr.getRights(read).flatMap((holdings) => holdings.owned.slice(0, maxUnlisted))
  const tokens = [...new Set(owned.flatMap(({ address, declared }) => (declared === undefined ? [address] : [])))]
  const declared: Effect.Effect<Declarations> =
    tokens.length === 0
      ? Effect.succeed(new Map())
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
          timeoutTo(declare(tokens), {
            duration: Math.max(Math.min(declaredWithin, until - now), 0),
            onTimeout: () => Effect.succeed(new Map())
          })
        )
  return Effect.map(declared, (found) => ({ unlisted: read.map((owned) => toTokens(owned, found)) }))
}

/**
 * Limits a reading that is separate from that of the listed tokens to the time (of a request of `time` ms) in which
 * networks collect results.
 */
export const inTime = (
  time: number,
  addresses: ReadonlyArray<string>,
  read: ReturnType<typeof readUnlisted>
): ReturnType<typeof readUnlisted> =>
  timeoutTo(read, {
    duration: Deadline.make(time).share("collect"),
    onTimeout: () => Effect.succeed({ unlisted: addresses.map(() => unreadUnlisted(late)) })
  })

const late: ReadFailure = { reason: "timeout", message: "the tokens were not read in time" }

const toTokens = (read: Unlisted, declared: Declarations): UnlistedTokens =>
  Either.match(read, {
    onLeft: unreadUnlisted,
    onRight: ({ more = 0, owned, scams, unread }) => {
      const some = owned.slice(0, maxUnlisted)
      const found = some.map((token) => toHolding(token, declared.get(token.address)))
      const known = Arr.getRights(found)
      const failure = unread ?? Arr.getLefts(found)[0]
      const tokens = Arr.getSomes(known)
      return {
        tokens,
        omitted: owned.length - some.length + more,
        withoutDecimals: known.length - tokens.length,
        ...(failure === undefined ? {} : { unread: failure }),
        ...(scams === undefined ? {} : { scams })
      }
    }
  })

/** None for a token without decimals, left if these or its balance were not read. */
const toHolding = (
  { address, amount, declared }: OwnedToken,
  read: Either.Either<Declared | null, ReadFailure> = Either.left(undeclared)
): Either.Either<Option.Option<Holding>, ReadFailure> =>
  Either.flatMap(declared === undefined ? read : Either.right(declared), (own) => {
    if (own === null) return Either.right(Option.none())
    if (amount === undefined) return Either.left(noBalance)
    const { decimals, name = "", scaling, symbol = "" } = own
    return Either.right(
      Option.some(
        scaled(
          { address, decimals, name: name.slice(0, maxText), symbol: symbol.slice(0, maxText), thumbnail: "" },
          Either.right(amount),
          scaling
        )
      )
    )
  })

export const noBalance: ReadFailure = { reason: "bad_answer", message: "the balances of some tokens could not be read" }
export const undeclared: ReadFailure = {
  reason: "bad_answer",
  message: "the decimals of some tokens could not be read"
}
