import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../domain/Token.ts"
import type { TokenList } from "../../tokens/TokenRegistry.ts"
import type { Holding, NetworkInfo } from "../Network.ts"
import type { Jetton, Reading } from "./Client.ts"

/** The native coin, then the jettons of the registry that are not zero. */
export const toHoldings = (
  { native }: NetworkInfo,
  known: Option.Option<TokenList>,
  reading: Reading
): ReadonlyArray<Holding> => [
  { asset: "native", amount: Either.right(reading.native) },
  ...Option.match(known, {
    onNone: () => [],
    onSome: ({ byAddress }) =>
      [...reading.jettons].flatMap(([master, jetton]) => {
        const token = byAddress.get(master)
        // A contract that shows the native coin itself would count it twice.
        return token === undefined || token.coinId === native.coinId || jetton.amount === 0n
          ? []
          : [toHolding(token, jetton)]
      })
  })
]

/** The decimals that a jetton declares itself come before those of a list, which may be a guess. */
export const toHolding = (token: Token, { amount, decimals }: Jetton): Holding => ({
  asset: { ...token, decimals: decimals ?? token.decimals },
  amount: Either.right(amount)
})
