import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { TokenFacts } from "../../domain/tokens/TokenFacts.ts"
import { span } from "../../kernel/span.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { invalidToken, unread } from "../kit/holdings/tokenList.ts"
import { baseUnits, type Decimal } from "./amount.ts"
import { nameOf, parse, usualDecimals } from "./IssuedToken.ts"
import type { Issuer, RippleProvider } from "./Provider.ts"
import { burnt } from "./recipient.ts"

// A token is a currency of its issuer (xrpl.org/docs/concepts/tokens/fungible-tokens): flags of the issuer's account say
// which powers it has. The currency is the only name.

/** Flags of an AccountRoot: the master key is disabled, the issuer gave up freezing, and may take tokens back. */
const [disableMaster, noFreeze, allowClawback] = [0x0010_0000, 0x0020_0000, 0x8000_0000]

const has = ({ flags }: Issuer, flag: number) => (flags & flag) !== 0

/**
 * Whether a key of the issuer signs its transactions. If its master key is disabled, and its regular key is missing or
 * burnt, it may still have a list of signers.
 */
const canSign = (issuer: Issuer): true | null =>
  !has(issuer, disableMaster) || (issuer.regularKey !== undefined && !burnt.includes(issuer.regularKey)) ? true : null

const powersOf = (issuer: Issuer): TokenFacts["powers"] => {
  const signs = canSign(issuer)
  return {
    freeze: has(issuer, noFreeze) ? false : signs,
    take: has(issuer, allowClawback) ? signs : false,
    "transfer-fee": signs,
    // The global freeze; an issuer that gave up freezing can set it once, and never end it.
    pause: signs,
    mint: signs
  }
}

const unknownSigners: ReadFailure = {
  reason: "not_listed",
  message: "the issuer has disabled its keys: whether it has other signers is not known"
}

const factsOf = (
  currency: string,
  issuer: Issuer,
  supply: Either.Either<Decimal | undefined, ReadFailure>
): Option.Option<TokenFacts> => {
  // A currency without obligations has no holders: any issuer could issue it.
  if (Either.isRight(supply) && supply.right === undefined) return Option.none()
  const powers = powersOf(issuer)
  const amount = Either.getOrUndefined(supply)
  const decimals = Math.max(usualDecimals, amount?.scale ?? 0)
  const missing = Either.isLeft(supply)
    ? supply.left
    : Object.values(powers).includes(null)
      ? unknownSigners
      : undefined
  return Option.some({
    standard: "XRPL",
    name: nameOf(currency),
    symbol: nameOf(currency),
    decimals,
    supply: amount === undefined ? null : baseUnits(amount, decimals),
    powers,
    ...(missing === undefined ? {} : { unread: missing })
  })
}

/** Reads the issuer of a token, and its obligations. Nodes may refuse to add that up for a large issuer. */
export const tokenFacts =
  (rippled: RippleProvider): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (token) =>
    Effect.gen(function* () {
      const { currency, issuer } = yield* Either.mapLeft(parse(token), invalidToken)
      const [account, supply] = yield* Effect.all(
        [
          Effect.mapError(rippled.issuer(issuer), unread),
          Effect.either(Effect.mapError(rippled.obligation(issuer, currency), unread))
        ],
        { concurrency: 2 }
      )
      return Option.flatMap(account, (own) => factsOf(currency, own, supply))
    }).pipe(span("Ripple.tokenFacts"))

/** Names tokens by their currency, without a call. */
export const tokenNames: NonNullable<Chain["Type"]["tokenNames"]> = (tokens) =>
  Effect.sync(
    () =>
      new Map(
        tokens.flatMap((token) => {
          const name = Either.getOrUndefined(Either.map(parse(token), ({ currency }) => nameOf(currency)))
          return name === undefined ? [] : [[token, { name, symbol: name, decimals: usualDecimals }] as const]
        })
      )
  )
