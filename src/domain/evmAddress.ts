import * as Either from "effect/Either"
import { getAddress } from "viem/utils"

/** Whether a text is the zero address, by which many name the native coin where a token is meant. */
export const isZero = (text: string): boolean => /^0x0{40}$/i.test(text)

/**
 * An EVM address in lower case. One case throughout is taken as it is; mixed case is a checksum (EIP-55) and must be
 * right.
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
