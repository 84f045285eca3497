import { sha256 } from "@noble/hashes/sha2"
import { createBase58check } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import { bytesToHex, hexToBytes } from "viem/utils"
import { tron } from "../../catalogue/tron.ts"
import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"
import { isZero as isEvmZero } from "../../domain/evmAddress.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

const base58check = createBase58check(sha256)

const decode = Option.liftThrowable((text: string) => base58check.decode(text))

/** The prefix of every main network address, before its 20 bytes. */
const prefix = 0x41

/**
 * Parses an address into base58check, as wallets show it (`T…`). Also accepts the hexadecimal form of nodes (`41…`,
 * with or without `0x`), which has no checksum. Rejects the 20 bytes alone: they look like an Ethereum address.
 */
export const parse = (text: string): Either.Either<string, string> => {
  if (/^(0x)?41[0-9a-f]{40}$/i.test(text))
    return Either.right(base58check.encode(hexToBytes(`0x${text.slice(-42).toLowerCase()}`)))
  if (/^0x[0-9a-f]{40}$/i.test(text))
    return Either.left("this is an address of an Ethereum-like network; Tron addresses start with T, or with 41 in hex")
  if (!/^[1-9A-HJ-NP-Za-km-z]{25,50}$/.test(text))
    return Either.left("an address is T and 33 more letters and digits, or 41 and 40 hexadecimal digits")
  const bytes = Option.getOrUndefined(decode(text))
  if (bytes === undefined)
    return Either.left("the checksum is wrong: a letter may be mistyped, missing or of the wrong case")
  if (bytes.length !== 21 || bytes[0] !== prefix) return Either.left("this is not an address of Tron's main network")
  return Either.right(text)
}

/** Whether a text is an address in any form that nodes use. */
export const isFormOf = (text: string, address: string): boolean => Either.getOrUndefined(parse(text)) === address

/** The form in which an address is written. */
export const formOf = (text: string): AddressForm =>
  text.startsWith("T") ? plainAddress : { kind: "address", note: withoutChecksum }

const zero = base58check.encode(Uint8Array.of(prefix, ...new Uint8Array(20)))

/** Whether a text is the zero address, in Tron's form or in Ethereum's; it means the native coin. */
export const isZero = (text: string): boolean => isEvmZero(text) || Option.contains(Either.getRight(parse(text)), zero)

/** The 20 bytes that contracts use as the address. */
export const toEvm = (address: string): EvmAddress => bytesToHex(base58check.decode(address).subarray(1))

/** How Tron's token list is built. */
export const tokens: PlatformFacts = {
  platform: tron.platform,
  canonical: (address) => Either.getRight(parse(address)),
  confirms: true
}
