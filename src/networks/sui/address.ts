import * as Either from "effect/Either"

/** The digits of 32 bytes. */
const digits = 64

/** As many zeros may lead a real address by chance; more would be a part of one, or an address of another network. */
const leadingZeros = 4

/** The addresses of the system (0x2, 0x5, 0xdee9 …) are small numbers. */
const systemDigits = 4

/**
 * A Sui address with all its 64 digits, in lower case. Leading zeros may be left out, and `0x` of a whole one; there is
 * no checksum, so that what is neither whole nor short is refused.
 */
export const parse = (text: string): Either.Either<string, string> => {
  const [, prefix, number = ""] = /^(0x)?([0-9a-fA-F]+)$/i.exec(text) ?? []
  const { length } = number
  if (length === 0 || length > digits || (prefix === undefined && length < digits))
    return Either.left("an address is 0x and 64 hexadecimal digits")
  if (length > systemDigits && length < digits - leadingZeros)
    return Either.left(
      `an address has 64 hexadecimal digits, not ${length}: a part may be missing, or it is of another network`
    )
  return Either.right(`0x${number.toLowerCase().padStart(digits, "0")}`)
}
