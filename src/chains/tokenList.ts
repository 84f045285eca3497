import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../domain/Token.ts"
import { type PlatformFacts, type TokenList, TokenRegistry } from "../providers/TokenRegistry.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { ReadFailure } from "./Chain.ts"

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
      abilities: Effect.map(registry.has(facts.platform), (has) => ({
        balance: Either.right(upstreams),
        tokens: has ? Either.right(upstreams) : Either.left(notLoaded)
      }))
    }
  })

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
