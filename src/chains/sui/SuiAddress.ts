import * as Either from "effect/Either"
import { type AddressForm, withoutChecksum } from "../../domain/AddressForm.ts"

/** The digits of 32 bytes. */
const digits = 64

/** System addresses (0x2, 0x5, 0xdee9 …) are small numbers. */
const systemDigits = 4

/**
 * A Sui address in lower case: `0x` and 64 digits, as wallets show it. There is no checksum, so no shorter form is
 * accepted: with a digit missing it would be a different address.
 */
export const parse = (text: string): Either.Either<string, string> => {
  const [, prefix, number = ""] = /^(0x)?([0-9a-f]+)$/i.exec(text) ?? []
  if (prefix !== undefined && number.length === digits) return Either.right(`0x${number.toLowerCase()}`)
  if (number.length === digits) return Either.left("an address begins with 0x: write that before the 64 digits")
  return Either.left(
    prefix === undefined
      ? "an address is 0x and 64 hexadecimal digits"
      : `an address has 64 hexadecimal digits after 0x, not ${number.length}: some may be missing, zeros at the beginning too, or it is of another network`
  )
}

/** What an address is as it was written. */
export const formOf = (): AddressForm => ({ kind: "address", note: withoutChecksum })

/** The same, or the short form of a system object, package or address, as used in calls to nodes: `0x2`. */
export const parseWithSystem = (text: string): Either.Either<string, string> => {
  const [, number] = /^0x([0-9a-f]+)$/i.exec(text) ?? []
  return number !== undefined && number.length <= systemDigits
    ? Either.right(`0x${number.toLowerCase().padStart(digits, "0")}`)
    : parse(text)
}
