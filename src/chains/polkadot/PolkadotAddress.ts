import { blake2b } from "@noble/hashes/blake2"
import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bytesToHex, hexToBytes } from "viem/utils"
import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"

const keyBytes = 32
const checksumBytes = 2

/** The prefix of the hashed bytes (SS58). */
const preamble = new TextEncoder().encode("SS58PRE")

/**
 * Parses an address with any network's prefix to the public key of the account, 0x and 64 digits: a key is the same
 * account on every chain of the family.
 */
export const parse = (text: string): Either.Either<`0x${string}`, string> => {
  if (text.startsWith("0x"))
    return /^0x[0-9a-fA-F]{64}$/.test(text)
      ? Either.right(text.toLowerCase() as `0x${string}`)
      : Either.left("a public key is 0x and 64 hexadecimal digits")
  // No address of a public key is longer. The limit matters because base58 decoding takes quadratic time.
  const bytes = text.length > 50 ? undefined : Option.getOrUndefined(decode(text))
  const [first] = bytes ?? []
  if (bytes === undefined || first === undefined)
    return Either.left("an address is SS58 text in base58, or a public key of 0x and 64 hexadecimal digits")
  if (first >= 128) return Either.left("the network prefix of the address (SS58) is missing or invalid")
  const prefix = first < 64 ? 1 : 2
  if (bytes.length !== prefix + keyBytes + checksumBytes)
    return Either.left("an address contains a public key of 32 bytes: it may be truncated")
  const body = bytes.subarray(0, prefix + keyBytes)
  const expected = checksum(body)
  return bytes.subarray(prefix + keyBytes).every((byte, index) => byte === expected[index])
    ? Either.right(bytesToHex(body.subarray(prefix)))
    : Either.left("the checksum does not match (SS58): a character may be mistyped")
}

/** The form of an address as the client wrote it. */
export const formOf = (text: string): AddressForm => {
  if (text.startsWith("0x")) return { kind: "public-key", note: withoutChecksum }
  return Option.exists(Either.getRight(parse(text)), (key) => format(key) === text)
    ? plainAddress
    : {
        kind: "address",
        note: "Written with the prefix of another network: on Polkadot it means the account with the same key."
      }
}

/** Formats the address of a public key with Polkadot's prefix, 0. */
export const format = (key: string): string => {
  const body = Uint8Array.of(0, ...hexToBytes(key as `0x${string}`))
  return base58.encode(Uint8Array.of(...body, ...checksum(body)))
}

const checksum = (body: Uint8Array): Uint8Array =>
  blake2b.create({ dkLen: 64 }).update(preamble).update(body).digest().subarray(0, checksumBytes)

const decode = Option.liftThrowable((text: string) => base58.decode(text))
