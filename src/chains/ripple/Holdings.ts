import * as Either from "effect/Either"
import type { Token } from "../../domain/Token.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Holding } from "../Chain.ts"
import type { Decimal } from "./amount.ts"
import type { TrustLine } from "./Client.ts"
import { currencyOf, type IssuedCurrency, keyOf, symbolOf } from "./IssuedToken.ts"
import { usualDecimals } from "./tokens.ts"

/** Converts an amount to base units, with the token's decimals, or with more if the amount needs them. */
export const toHolding = (token: Token, { digits, scale }: Decimal): Holding => {
  const decimals = Math.max(token.decimals, scale)
  const asset = decimals === token.decimals ? token : { ...token, decimals }
  return { asset, amount: Either.right(digits * 10n ** BigInt(decimals - scale)) }
}

/** Registered tokens among the lines. A negative balance is an issuer's debt and does not count as a holding. */
export const fromLines = (lines: ReadonlyArray<TrustLine>, { byAddress }: TokenList): ReadonlyArray<Holding> =>
  lines.flatMap((line) => {
    const key = Either.map(currencyOf(line.currency), (currency) => keyOf({ issuer: line.account, currency }))
    const token = Either.isRight(key) ? byAddress.get(key.right) : undefined
    return token === undefined || line.balance.digits <= 0n ? [] : [toHolding(token, line.balance)]
  })

/** The balance of a currency on the trust line to its issuer; zero without a line, or if the balance is negative. */
export const ofCurrency = (lines: ReadonlyArray<TrustLine>, { currency, issuer }: IssuedCurrency): Decimal => {
  const line = lines.find(
    (trustLine) => trustLine.account === issuer && Either.getOrUndefined(currencyOf(trustLine.currency)) === currency
  )
  return line === undefined || line.balance.digits <= 0n ? { digits: 0n, scale: 0 } : line.balance
}

/** A token that is not in the list. */
export const unregistered = (issued: IssuedCurrency): Token => ({
  address: keyOf(issued),
  decimals: usualDecimals,
  name: "",
  symbol: symbolOf(issued.currency),
  thumbnail: ""
})
