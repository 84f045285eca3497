import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { RegisteredToken, TokenList } from "../../providers/TokenRegistry.ts"
import type { ReadFailure } from "../Chain.ts"
import type { BalanceCall } from "../evm/multicall.ts"
import { byKey } from "../kit/holdings/amounts.ts"
import { TokenUnits } from "./formats.ts"
import type { IndexedBalances } from "./Provider.ts"
import * as TronAddress from "./TronAddress.ts"

/** A token and its address in contract calls. */
export type Target = readonly [token: RegisteredToken, address: BalanceCall["token"]]

/** The tokens to query, without the native coin: it may also be listed as a token and would count twice. */
export const targetsIn = ({ tokens }: TokenList, native: string): ReadonlyArray<Target> =>
  tokens.filter(({ coinId }) => coinId !== native).map((token) => [token, TronAddress.toEvm(token.address)])

/** The call for the TRX of an address. */
export const nativeCall = (address: string): BalanceCall => ({ holder: TronAddress.toEvm(address), token: "native" })

/** The calls for the tokens of an address. */
export const tokenCalls = (address: string, tokens: ReadonlyArray<Target>): ReadonlyArray<BalanceCall> => {
  const holder = TronAddress.toEvm(address)
  return tokens.map(([, token]) => ({ holder, token }))
}

/** The amount of a token. Its decimals are those of the list, which may be wrong. */
export interface TokenAmount {
  readonly asset: RegisteredToken
  readonly amount: Either.Either<bigint, ReadFailure>
}

const nonZero = (asset: RegisteredToken, amount: Either.Either<bigint, ReadFailure>): ReadonlyArray<TokenAmount> =>
  Either.isRight(amount) && amount.right === 0n ? [] : [{ asset, amount }]

/** The tokens that an address holds, or that could not be read, from the results of {@link tokenCalls}. */
export const fromResults = (tokens: ReadonlyArray<Target>, amounts: ReadonlyArray<Option.Option<bigint>>) =>
  tokens.flatMap(([asset], index) =>
    nonZero(
      asset,
      Either.fromOption(amounts[index] ?? Option.none(), () => brokenToken)
    )
  )

const units = Schema.decodeUnknownOption(TokenUnits)

/** The tokens that an address holds according to TronGrid's index; tokens that are not in the list are left out. */
export const fromIndex = ({ trc20 }: IndexedBalances, tokens: ReadonlyArray<Target>) => {
  const entries = trc20.filter(Predicate.isRecord)
  const amounts = byKey(entries.flatMap((entry) => Object.entries(entry)))
  const amountOf = (contract: string): Either.Either<bigint, ReadFailure> => {
    if (!amounts.has(contract)) return Either.right(0n)
    const listed = amounts.get(contract)
    return listed === undefined
      ? Either.left(twice)
      : Either.map(
          Either.fromOption(units(listed), () => impossibleUnits),
          BigInt
        )
  }
  return {
    tokens: tokens.flatMap(([asset]) => nonZero(asset, amountOf(asset.address))),
    /** The number of entries of which not even the contract can be read. */
    nameless: trc20.length - entries.length
  }
}

const impossibleUnits: ReadFailure = { reason: "bad_answer", message: "the index returned no possible amount" }
const twice: ReadFailure = { reason: "bad_answer", message: "the token is listed twice, with different amounts" }

const brokenToken: ReadFailure = { reason: "bad_answer", message: "the token's contract returned no balance" }
