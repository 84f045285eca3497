import * as Either from "effect/Either"
import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"
import { parse } from "../../domain/evmAddress.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

export { isZero, parse } from "../../domain/evmAddress.ts"

/** The form in which an address is written: digits in a single case have no checksum (EIP-55). */
export const formOf = (text: string): AddressForm => {
  const digits = text.slice(-40)
  const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return hasNoChecksum ? { kind: "address", note: withoutChecksum } : plainAddress
}

/** How the token list of a platform is built. */
export const tokensOf = (platform: string): PlatformFacts => ({
  platform,
  canonical: (address) => Either.getRight(parse(address.toLowerCase())),
  confirms: true
})
