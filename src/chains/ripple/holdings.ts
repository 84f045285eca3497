import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../domain/Token.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Chain, Holding } from "../Chain.ts"
import { invalidToken, missingTokens, unread, unreadTokensOf } from "../kit/holdings/tokenList.ts"
import { notIn, type OwnedToken, readUnlisted } from "../kit/holdings/unlisted.ts"
import type { Decimal } from "./amount.ts"
import { currencyOf, type IssuedCurrency, keyOf, nameOf, parse, symbolOf, usualDecimals } from "./IssuedToken.ts"
import type { RippleProvider, TrustLine } from "./Provider.ts"

// The XRP balance includes the reserve of the account (1 XRP, plus 0.2 XRP per object that it owns), although the reserve
// cannot be sent. Tokens are trust lines, identified by issuer and currency.

/** Reads the coins and the registered tokens of addresses. */
export const holdings =
  (rippled: RippleProvider, registered: Effect.Effect<Option.Option<TokenList>>): Chain["Type"]["holdings"] =>
  (addresses, { unlisted = false } = {}) =>
    Effect.gen(function* () {
      const tokenList = yield* registered
      const accounts = yield* each(addresses, (address) =>
        Effect.either(Effect.mapError(rippled.account(address, Option.isSome(tokenList)), unread))
      )
      const others = unlisted
        ? accounts.map(Either.flatMap(({ lines }) => Either.mapBoth(lines, unlistedIn(tokenList))))
        : undefined
      return {
        ...(yield* readUnlisted(others, () => Effect.succeed(new Map()))),
        addresses: accounts.map(
          Either.map(({ drops, lines }): ReadonlyArray<Holding> => {
            const found = Either.getOrElse(lines, () => [])
            const tokens = Option.map(tokenList, (list) => fromLines(found, list))
            return [native(drops), ...Option.getOrElse(tokens, () => [])]
          })
        ),
        missing: missingTokens(tokenList),
        unreadTokens: unreadTokensOf(accounts, ({ lines }) => Option.getOrUndefined(Either.getLeft(lines)))
      }
    }).pipe(span("Ripple.holdings", { attributes: { addresses: addresses.length } }))

/** Reads the coins or one token of an address. */
export const holding =
  (rippled: RippleProvider, registered: Effect.Effect<Option.Option<TokenList>>): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native((yield* rippled.account(address, false)).drops)
      const issued = yield* Either.mapLeft(parse(text.value), invalidToken)
      const listed = Option.flatMapNullable(yield* registered, ({ byAddress }) => byAddress.get(keyOf(issued)))
      const lines = yield* rippled.linesTo(address, issued.issuer)
      const token = Option.getOrElse(listed, () => unregistered(issued))
      return toHolding(token, ofCurrency(lines, issued))
    }).pipe(Effect.mapError(unread))

const native = (drops: bigint): Holding => ({ asset: "native", amount: Either.right(drops) })

/** Converts an amount to base units, with the token's decimals, or with more if the amount needs them. */
const inUnits = (token: Token, { digits, scale }: Decimal) => {
  const decimals = Math.max(token.decimals, scale)
  const asset = decimals === token.decimals ? token : { ...token, decimals }
  return { asset, amount: digits * 10n ** BigInt(decimals - scale) }
}

const toHolding = (token: Token, balance: Decimal): Holding => {
  const { amount, asset } = inUnits(token, balance)
  return { asset, amount: Either.right(amount) }
}

/** Registered tokens among the lines. A negative balance is an issuer's debt and does not count as a holding. */
const fromLines = (lines: ReadonlyArray<TrustLine>, { byAddress }: TokenList): ReadonlyArray<Holding> =>
  lines.flatMap((line) => {
    const key = Either.map(currencyOf(line.currency), (currency) => keyOf({ issuer: line.account, currency }))
    const token = Either.isRight(key) ? byAddress.get(key.right) : undefined
    return token === undefined || line.balance.digits <= 0n ? [] : [toHolding(token, line.balance)]
  })

/** The tokens on the lines that are not listed. */
const unlistedIn = (known: Option.Option<TokenList>) => ({
  onLeft: unread,
  onRight: (lines: ReadonlyArray<TrustLine>) => ({
    owned: notIn(
      known,
      lines.flatMap(({ account, balance, currency }) => {
        const own = Either.getOrUndefined(currencyOf(currency))
        if (own === undefined || balance.digits <= 0n) return []
        const token = unregistered({ issuer: account, currency: own })
        return ownedOf({ ...token, name: nameOf(own), symbol: nameOf(own) }, balance)
      })
    ),
    unread: missingTokens(known)
  })
})

const ownedOf = (token: Token, balance: Decimal): OwnedToken => {
  const { asset, amount } = inUnits(token, balance)
  return { address: token.address, amount, declared: asset }
}

/** The balance of a currency on the trust line to its issuer; zero without a line, or if the balance is negative. */
const ofCurrency = (lines: ReadonlyArray<TrustLine>, { currency, issuer }: IssuedCurrency): Decimal => {
  const line = lines.find(
    (trustLine) => trustLine.account === issuer && Either.getOrUndefined(currencyOf(trustLine.currency)) === currency
  )
  return line === undefined || line.balance.digits <= 0n ? { digits: 0n, scale: 0 } : line.balance
}

/** A token that is not in the list. */
const unregistered = (issued: IssuedCurrency): Token => ({
  address: keyOf(issued),
  decimals: usualDecimals,
  name: "",
  symbol: symbolOf(issued.currency),
  thumbnail: ""
})
