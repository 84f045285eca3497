import * as Option from "effect/Option"
import { cardano } from "../../catalogue/cardano.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

const policyLength = 56

/**
 * The unit of a native asset: policy hash and asset name in lower-case hexadecimal digits, also accepted with a full
 * stop in between. The name may be empty.
 */
export const parse = (text: string): Option.Option<string> =>
  /^[0-9a-f]{56}(\.?([0-9a-f]{2}){1,32})?$/i.test(text)
    ? Option.some(text.replace(".", "").toLowerCase())
    : Option.none()

export const policyOf = (unit: string): string => unit.slice(0, policyLength)
export const nameOf = (unit: string): string => unit.slice(policyLength)

/** How Cardano's token list is built. */
export const tokens: PlatformFacts = {
  platform: cardano.platform,
  canonical: parse,
  unlisted: { decimals: 0 },
  confirms: true
}
