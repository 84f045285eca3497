import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import type { RegisteredToken, TokenList } from "../../providers/TokenRegistry.ts"
import { byKey, isWithin } from "../amounts.ts"
import type { Holding, ReadFailure } from "../Chain.ts"
import type { BalanceCall } from "../evm/multicall.ts"
import type { IndexedBalances } from "./Client.ts"
import * as TronAddress from "./TronAddress.ts"

/** A token and its address in contract calls. */
export type Target = readonly [token: RegisteredToken, address: BalanceCall["token"]]

/** The tokens to query, without the native coin: it may also be listed as a token and would count twice. */
export const targets = ({ tokens }: TokenList, native: string): ReadonlyArray<Target> =>
  tokens.filter(({ coinId }) => coinId !== native).map((token) => [token, TronAddress.toEvm(token.address)])

/** The calls for an address: its TRX, then each token. */
export const balanceCalls = (address: string, tokens: ReadonlyArray<Target>): ReadonlyArray<BalanceCall> => {
  const holder = TronAddress.toEvm(address)
  return [{ holder, token: "native" }, ...tokens.map(([, token]) => ({ holder, token }))]
}

/** Holdings from the results of {@link balanceCalls}; none if the TRX balance is missing, which no token can cause. */
export const fromResults = (
  tokens: ReadonlyArray<Target>,
  [trx, ...amounts]: ReadonlyArray<Option.Option<bigint>>
): Option.Option<ReadonlyArray<Holding>> =>
  Option.map(Option.filter(trx ?? Option.none(), isWithin(tron.supply)), (sun) => [
    { asset: "native", amount: Either.right(sun) },
    ...tokens.flatMap(([asset], index): ReadonlyArray<Holding> => {
      const amount = amounts[index] ?? Option.none()
      if (Option.isNone(amount)) return [{ asset, amount: Either.left(brokenToken) }]
      return amount.value === 0n ? [] : [{ asset, amount: Either.right(amount.value) }]
    })
  ])

/** Holdings from TronGrid's index; tokens that are not in the list are left out. */
export const fromIndex = (
  { balance, trc20 }: IndexedBalances,
  tokens: ReadonlyArray<Target>
): ReadonlyArray<Holding> => {
  const amounts = byKey(trc20.flatMap((entry) => Object.entries(entry)))
  return [
    { asset: "native", amount: Either.right(balance) },
    ...tokens.flatMap(([asset]): ReadonlyArray<Holding> => {
      const units = amounts.get(asset.address)
      if (units === undefined && amounts.has(asset.address)) return [{ asset, amount: Either.left(twice) }]
      const amount = BigInt(units ?? 0)
      return amount === 0n ? [] : [{ asset, amount: Either.right(amount) }]
    })
  ]
}

const twice: ReadFailure = { reason: "bad_answer", message: "the token is listed twice, with different amounts" }

export const brokenToken: ReadFailure = { reason: "bad_answer", message: "the token's contract returned no balance" }
