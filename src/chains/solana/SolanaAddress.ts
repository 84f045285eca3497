import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import { solana } from "../../catalogue/solana.ts"
import { type AddressForm, withoutChecksum } from "../../domain/AddressForm.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

/** The addresses of wallets, programs, mints and token accounts all have the form of a public key. */
const bytes = 32

/**
 * A Solana address: base58 of 32 bytes, case-sensitive. There is one spelling and no checksum, and an address does not
 * show which of Solana's networks it belongs to.
 */
export const parse = (text: string): Either.Either<string, string> => {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return Either.left("an address is 32 to 44 letters and digits of base58")
  // The cost of decoding grows with the square of the length.
  if (text.length > 44 || base58.decode(text).length !== bytes)
    return Either.left(
      "an address is base58 of exactly 32 bytes: a part of it may be missing, or it belongs to another network"
    )
  return Either.right(text)
}

/** The form of an address. */
export const formOf = (): AddressForm => ({ kind: "address", note: withoutChecksum })

/** How Solana's token list is built. */
export const tokens: PlatformFacts = {
  platform: solana.platform,
  canonical: (address) => Either.getRight(parse(address)),
  confirms: true
}
