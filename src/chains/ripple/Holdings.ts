import * as Either from "effect/Either"
import type { Token } from "../../domain/Token.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Holding } from "../Chain.ts"
import type { Decimal } from "./amount.ts"
import type { TrustLine } from "./Client.ts"
import { currencyOf, type IssuedCurrency, keyOf, symbolOf } from "./IssuedToken.ts"

/**
 * Decimals that hold every usual amount. The ledger has no decimals: an amount has up to 16 digits and an exponent, and
 * one that is smaller gets as many decimals as it needs, so that nothing of it is lost.
 */
export const usualDecimals = 15

/** The amount in base units, with the decimals of the token, or more where the amount has more. */
export const toHolding = (token: Token, { digits, scale }: Decimal): Holding => {
  const decimals = Math.max(token.decimals, scale)
  const asset = decimals === token.decimals ? token : { ...token, decimals }
  return { asset, amount: Either.right(digits * 10n ** BigInt(decimals - scale)) }
}

/** Tokens of the list that the lines hold. A negative balance is what the holder owes as an issuer: none of it is held. */
export const fromLines = (lines: ReadonlyArray<TrustLine>, { byAddress }: TokenList): ReadonlyArray<Holding> =>
  lines.flatMap((line) => {
    const key = Either.map(currencyOf(line.currency), (currency) => keyOf({ issuer: line.account, currency }))
    const token = Either.isRight(key) ? byAddress.get(key.right) : undefined
    return token === undefined || line.balance.digits <= 0n ? [] : [toHolding(token, line.balance)]
  })

/** What the lines to the issuer hold of its currency; zero without a line, and where the holder owes. */
export const ofCurrency = (lines: ReadonlyArray<TrustLine>, { currency, issuer }: IssuedCurrency): Decimal => {
  const line = lines.find(
    (item) => item.account === issuer && Either.getOrUndefined(currencyOf(item.currency)) === currency
  )
  return line === undefined || line.balance.digits <= 0n ? { digits: 0n, scale: 0 } : line.balance
}

/** A token that the list does not have. */
export const unregistered = (issued: IssuedCurrency): Token => ({
  address: keyOf(issued),
  decimals: usualDecimals,
  name: "",
  symbol: symbolOf(issued.currency),
  thumbnail: ""
})
