import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { type RegisteredToken, type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { AbilitySources, ReadFailure } from "../Chain.ts"
import { notLoaded, unread } from "../kit/holdings/tokenList.ts"
import { undeclared } from "../kit/holdings/unlisted.ts"
import { tokensOf } from "./EvmAddress.ts"
import type { NativeTokens } from "./history/ListedTransaction.ts"
import type { Token as TokenRow } from "./providers/etherscan/calls.ts"
import * as Decimals from "./tokens/Decimals.ts"
import { multipliersOf } from "./tokens/multipliers.ts"

/**
 * The newest token list of the platform, corrected by the decimals that contracts declare, once those are read, with the
 * multipliers of its tokens. `off` is the reason if there are no nodes.
 */
export const followTokens = (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  Effect.gen(function* () {
    const multipliers = yield* multipliersOf(nodes, facts)
    const registry = yield* TokenRegistry
    const { platform } = facts
    const list = platform === undefined ? Effect.succeedNone : yield* registry.follow(tokensOf(platform))
    const reader = Decimals.ofNodes(nodes, facts, multipliers)
    const decimals = yield* Decimals.checked(platform, list, reader)
    return {
      ...decimals,
      multipliers,
      scalings: off === undefined ? multipliers.likelyScalings : () => Effect.succeed(new Map()),
      native: nativeTokens(facts, decimals.list),
      confirmDecimals: confirmingDecimals(facts, decimals.list, registry),
      abilities: (served: AbilitySources) => tokensServed(registry, facts, served),
      /** Reads what unlisted tokens declare, which is not kept: anyone can make any number of them. Cannot fail. */
      declared: Effect.fnUntraced(function* (owned: ReadonlyArray<string>) {
        const read = Either.mapBoth(yield* Effect.either(reader(owned)), {
          onLeft: unread,
          onRight: ({ decimals: found, requested }) => ({ found, requested: new Set(requested) })
        })
        const scalings = yield* multipliers.scalings(owned)
        return new Map(
          owned.map((address) => [
            address,
            Either.flatMap(read, ({ found, requested }) => {
              const own = found.get(address)
              if (own === undefined) return requested.has(address) ? Either.right(null) : Either.left(undeclared)
              return Either.right({ decimals: own, scaling: scalings.get(address) ?? Either.right(undefined) })
            })
          ])
        )
      }),
      /** The second read needs no call if the first one learns that no token has a multiplier. */
      unitsOf: Effect.fnUntraced(function* (owned: ReadonlyArray<Address>) {
        const decimalsOf = yield* decimals.confirm(owned)
        return { decimalsOf, scalings: yield* multipliers.scalings(owned) }
      })
    }
  })

export type EvmTokens = Effect.Effect.Success<ReturnType<typeof followTokens>>

/** Tokens are served once their list is loaded. */
const tokensServed = (
  registry: TokenRegistry["Type"],
  { platform }: EvmFacts,
  served: AbilitySources
): Effect.Effect<AbilitySources> => {
  if (Either.isLeft(served)) return Effect.succeed(served)
  if (platform === undefined)
    return Effect.succeed(Either.left("its tokens are not listed by the market data provider"))
  return Effect.map(registry.has(platform), (listed) => (listed ? served : Either.left(notLoaded)))
}

/** The base token of ZKsync's networks, which logs each transfer of the native coin; no other network has it. */
const baseToken = "0x000000000000000000000000000000000000800a"

/**
 * Confirms the decimals that a token list claims, if an explorer has read the same ones from the contract: a history is
 * then formatted also while no node answers. What contracts declare to nodes takes precedence.
 */
const confirmingDecimals =
  ({ platform }: EvmFacts, list: Effect.Effect<Option.Option<TokenList>>, registry: TokenRegistry["Type"]) =>
  (rows: ReadonlyArray<TokenRow>): Effect.Effect<void> =>
    Effect.flatMap(list, (known) => {
      const equal = rows.flatMap(({ contractAddress, tokenDecimal }) => {
        const token = Option.getOrUndefined(known)?.byAddress.get(contractAddress.toLowerCase())
        return token !== undefined && tokenDecimal === String(token.decimals)
          ? [[token.address, token.decimals] as const]
          : []
      })
      return platform === undefined || equal.length === 0 ? Effect.void : registry.setDecimals(platform, new Map(equal))
    })

/** The contracts that represent the native coin, by the facts and by the token list. */
const nativeTokens = (facts: EvmFacts, list: Effect.Effect<Option.Option<TokenList>>) =>
  Effect.map(list, (known): NativeTokens => {
    const repeats = (contract: string) => facts.nativeTokens?.includes(contract) === true
    const listed = (contract: string) => Option.getOrUndefined(known)?.byAddress.get(contract)?.coinId
    return {
      repeats,
      moves: (contract) => contract === baseToken || listed(contract) === facts.native.coinId
    }
  })

/** Whether a contract represents the native coin, which as a token would be counted twice. */
export const isMirror = ({ nativeTokens, native }: EvmFacts, { address, coinId }: RegisteredToken) =>
  coinId === native.coinId || nativeTokens?.includes(address) === true
