import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { Token } from "../../domain/Token.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Holding, HoldingsResult, Unread } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import type { Jetton, TonReading } from "./Client.ts"
import { standardDecimals } from "./tokens.ts"

/** The native coin, then the jettons of the registry that are not zero; left if neither could be read. */
export const toHoldings = (
  facts: NetworkFacts,
  tokenList: Option.Option<TokenList>,
  { jettons, native }: TonReading
): HoldingsResult["addresses"][number] =>
  Either.isLeft(native) && (jettons === undefined || Either.isLeft(jettons))
    ? Either.left(unread(native.left))
    : Either.right([
        { asset: "native", amount: Either.mapLeft(native, unread) },
        ...Option.match(tokenList, {
          onNone: () => [],
          onSome: ({ byAddress }) =>
            [...(jettons === undefined ? [] : Either.getOrElse(jettons, () => []))].flatMap(([master, jetton]) => {
              const token = byAddress.get(master)
              // A token that represents the native coin would count it twice.
              return token === undefined || token.coinId === facts.native.coinId || jetton.amount === 0n
                ? []
                : [toHolding(token, jetton)]
            })
        })
      ])

/**
 * Nine in the list may be a default: then those that a jetton declares are right, as six decimals shown as nine would be a
 * thousandth of the balance. Where the list has another number, both must be equal.
 */
export const decimalsOf = (token: Token, { amount, decimals }: Jetton): Option.Option<number> =>
  Option.fromNullable(decimals ?? (token.decimals === standardDecimals && amount !== 0n ? undefined : token.decimals))

export const toHolding = (token: Token, jetton: Jetton): Holding => {
  if (jetton.decimals !== undefined && token.decimals !== standardDecimals && token.decimals !== jetton.decimals)
    return { asset: token, amount: Either.left(otherDecimals) }
  return Option.match(decimalsOf(token, jetton), {
    onNone: (): Holding => ({ asset: token, amount: Either.left(noDecimals) }),
    onSome: (decimals) => ({
      asset: { ...token, decimals },
      amount: Either.fromNullable(jetton.amount, () => impossible)
    })
  })
}

const noDecimals: Unread = { reason: "bad_answer", message: "the decimals of the jetton are not known" }
const otherDecimals: Unread = {
  reason: "bad_answer",
  message: "the jetton has other decimals at the indexer than in the list of tokens"
}
const impossible: Unread = {
  reason: "bad_answer",
  message: "the jetton's balance is impossible, or listed twice with different amounts"
}
