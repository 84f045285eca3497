import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ripple } from "../../catalogue/ripple.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"
import * as IssuedToken from "./IssuedToken.ts"

/**
 * Default decimals, enough for usual amounts. The ledger has no decimals: an amount has up to 16 digits and an
 * exponent; a smaller amount gets more decimals, so that no precision is lost.
 */
export const usualDecimals = 15

/** How the token list of the XRP Ledger is built. */
export const tokens: PlatformFacts = {
  platform: ripple.platform,
  canonical: (address) => Option.map(Either.getRight(IssuedToken.parse(address)), IssuedToken.keyOf),
  unlisted: { decimals: usualDecimals }
}
