import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { span } from "../../kernel/span.ts"
import type { Chain } from "../Chain.ts"
import { answersOf, factsOf, isNoToken } from "../evm/contracts/answers.ts"
import { codeFacts } from "../evm/contracts/bytecode.ts"
import { powersOf } from "../evm/contracts/powers.ts"
import { namesIn } from "../evm/contracts/tokenNames.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { TronProvider } from "./Provider.ts"

// Contracts of Tron have the functions and the code of Ethereum's; proxies are not followed, because nodes do not return
// their storage.

const standards: Readonly<Record<string, string>> = {
  "ERC-20": "TRC-20",
  "ERC-721": "TRC-721",
  "ERC-1155": "TRC-1155"
}

/** Reads the contract of a token; none if it certainly is no token. */
export const tokenFacts =
  (trongrid: TronProvider): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (token) =>
    Effect.map(Effect.zipRight(trongrid.isCurrent, trongrid.contract(token)), ({ code, direct, results }) => {
      const answers = answersOf(results, direct)
      if (isNoToken(answers)) return Option.none()
      const { hasAuthority, isPaused } = answers
      const powers = powersOf({
        code: code === undefined ? undefined : codeFacts(`0x${code}`),
        hasAuthority,
        isPaused,
        isReplaceable: null
      })
      const found = factsOf(answers, powers)
      return Option.some({ ...found, standard: standards[found.standard] ?? found.standard })
    }).pipe(Effect.mapError(unread), span("Tron.tokenFacts"))

/** Reads what tokens call themselves, many in one call. Cannot fail. */
export const tokenNames =
  (trongrid: TronProvider): NonNullable<Chain["Type"]["tokenNames"]> =>
  (tokens) =>
    tokens.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          Effect.catchAll(trongrid.names(tokens), (error) => Effect.as(Effect.logDebug(error), [])),
          (results) => new Map(namesIn(tokens, results))
        )
