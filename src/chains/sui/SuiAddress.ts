import * as Either from "effect/Either"
import { type AddressForm, withoutChecksum } from "../../domain/AddressForm.ts"

/** Hexadecimal digits of 32 bytes. */
const digits = 64

/** System addresses (0x2, 0x5, 0xdee9 …) are small numbers. */
const systemDigits = 4

/**
 * Parses a Sui address and returns it in lower case: `0x` and 64 digits, as wallets show it. Rejects shorter forms:
 * there is no checksum, so an address with a missing digit would be read as a different address.
 */
export const parse = (text: string): Either.Either<string, string> => {
  const [, prefix, number = ""] = /^(0x)?([0-9a-f]+)$/i.exec(text) ?? []
  if (prefix !== undefined && number.length === digits) return Either.right(`0x${number.toLowerCase()}`)
  if (number.length === digits) return Either.left("an address starts with 0x: add it before the 64 digits")
  return Either.left(
    prefix === undefined
      ? "an address is 0x and 64 hexadecimal digits"
      : `an address has 64 hexadecimal digits after 0x, not ${number.length}: some may be missing, such as leading zeros, or it is of another network`
  )
}

/** The form of an address as the client wrote it. */
export const formOf = (): AddressForm => ({ kind: "address", note: withoutChecksum })

/** Like {@link parse}; also accepts short forms of system objects, packages and addresses, as in node calls: `0x2`. */
export const parseWithSystem = (text: string): Either.Either<string, string> => {
  const [, number] = /^0x([0-9a-f]+)$/i.exec(text) ?? []
  return number !== undefined && number.length <= systemDigits
    ? Either.right(`0x${number.toLowerCase().padStart(digits, "0")}`)
    : parse(text)
}
