import * as Either from "effect/Either"
import { getAddress } from "viem/utils"

/** Whether a text is the zero address, which many clients send as the token for the native coin. */
export const isZero = (text: string): boolean => /^0x0{40}$/i.test(text)

/**
 * Parses an EVM address and returns it in lower case. Accepts all-lower and all-upper case; mixed case must match the
 * EIP-55 checksum.
 */
export const parse = (text: string): Either.Either<`0x${string}`, string> => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return Either.left("an address is 0x and 40 hexadecimal digits")
  const digits = text.slice(2)
  const address = `0x${digits.toLowerCase()}` as const
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return Either.right(address)
  return getAddress(address) === text
    ? Either.right(address)
    : Either.left("the mix of upper and lower case is not this address's checksum (EIP-55): a digit may be mistyped")
}
