import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import type { TokenName } from "../../../domain/tokens/TokenFacts.ts"
import { span } from "../../../kernel/span.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { ReadFailure } from "../../Chain.ts"
import { decodeWord, type MulticallCall } from "../multicall.ts"
import { decimalsSelector, toDecimals } from "../tokens/Decimals.ts"
import { type ContractResult, readContracts } from "./readContracts.ts"
import { decodeText } from "./text.ts"

/** The functions of ERC-20 that return what a token calls itself. */
export const nameCalls = (token: string): ReadonlyArray<MulticallCall> =>
  ([nameSelector, symbolSelector, decimalsSelector] as const).map((callData) => ({
    target: token as Address,
    callData
  }))

const nameSelector = "0x06fdde03"
const symbolSelector = "0x95d89b41"

export const textIn = (result: ContractResult | undefined) =>
  result === undefined || Either.isLeft(result) ? Option.none<string>() : decodeText(result.right)

export const wordIn = (result: ContractResult | undefined) =>
  result === undefined || Either.isLeft(result) ? Option.none<bigint>() : decodeWord(result.right)

export const decimalsIn = (result: ContractResult | undefined) => Option.flatMap(wordIn(result), toDecimals)

/**
 * Reads what tokens call themselves, up to 500 tokens at a time; a token without readable decimals is absent, and a text
 * that cannot be read is empty. Cannot fail. `off` is the reason if there are no nodes.
 */
export const tokenNames =
  (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  (tokens: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, TokenName>> =>
    off !== undefined || tokens.length === 0
      ? Effect.succeed(new Map())
      : Effect.forEach(Arr.chunksOf(tokens, tokensPerReading), (part) =>
          nodes
            .over((node) => Effect.map(readContracts(node, facts, part.flatMap(nameCalls)), ({ results }) => results))
            .pipe(
              Effect.map((results) => namesIn(part, results)),
              Effect.catchAll((error) => Effect.as(Effect.logDebug(error), []))
            )
        ).pipe(
          Effect.map((parts) => new Map(parts.flat())),
          span("Evm.tokenNames", { attributes: { network: facts.id, tokens: tokens.length } })
        )

const tokensPerReading = 500

/** The names of tokens by the results of {@link nameCalls}, in their order. */
export const namesIn = (
  tokens: ReadonlyArray<string>,
  results: ReadonlyArray<ContractResult>
): ReadonlyArray<readonly [string, TokenName]> =>
  tokens.flatMap((token, index) => {
    const [name, symbol, decimals] = results.slice(3 * index, 3 * index + 3)
    return Option.toArray(
      Option.map(decimalsIn(decimals), (own) => {
        const found: TokenName = { name: orEmpty(textIn(name)), symbol: orEmpty(textIn(symbol)), decimals: own }
        return [token, found] as const
      })
    )
  })

const orEmpty = Option.getOrElse(() => "")
