import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import { each } from "../../kernel/each.ts"
import * as Decimals from "../evm/tokens/Decimals.ts"
import { follow } from "../kit/holdings/tokenList.ts"
import { balancesPerCall, isVerdict, type TronProvider } from "./Provider.ts"
import { tokens as platformTokens } from "./TronAddress.ts"

/** The token list, whose decimals are those of the contracts once they are read. */
export const tokensOf = (trongrid: TronProvider) =>
  Effect.gen(function* () {
    const { abilities, list } = yield* follow(platformTokens, [trongrid.name])
    return { abilities, ...(yield* Decimals.checked(tron.platform, list, decimalsFrom(trongrid))) }
  })

export type TronTokens = Effect.Effect.Success<ReturnType<typeof tokensOf>>

/** Maximum tokens per reading whose decimals are read alone. */
const maxSingleCalls = 20

const decimalsFrom = (trongrid: TronProvider) => (tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const chunks = yield* each(Arr.chunksOf(tokens, balancesPerCall), (chunk) =>
      Effect.catchIf(trongrid.allDecimals(chunk), isVerdict, () =>
        Effect.succeed(chunk.map(() => Option.none<number>()))
      )
    )
    const declared = chunks.flat()
    return yield* Decimals.repeatingFailed(
      tokens.map((token, index) => [token, declared[index] ?? Option.none()] as const),
      (failed) => each(failed.slice(0, maxSingleCalls), (token) => Effect.option(trongrid.decimals(token)))
    )
  })
