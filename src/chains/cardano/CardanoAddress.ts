import { bech32 } from "@scure/base"
import * as Either from "effect/Either"
import { type AddressForm, plainAddress } from "../../domain/AddressForm.ts"
import * as Byron from "./Byron.ts"

/** Pointer addresses vary in length, base addresses are longer than the 90 characters of BIP-173. */
const maxLength = 1023

const mainnet = 1

/** A base address has two hashes; the others have one. */
const [value, two] = [28, 56]

/**
 * A payment address (`addr1…`, or a Byron address) or a stake address (`stake1…`) of the main network, in lower case if
 * it is bech32 (CIP-19).
 */
export const parse = (text: string): Either.Either<string, string> => {
  const lower = text.toLowerCase()
  if (!/^(addr|stake)(_test)?1/.test(lower)) return Byron.parse(text)
  if (/^(addr|stake)_test1/.test(lower)) return Either.left("this is an address of a test network")
  const decoded = bech32.decodeUnsafe(text, maxLength)
  const bytes = decoded ? bech32.fromWordsUnsafe(decoded.words) : undefined
  if (!decoded || !bytes)
    return Either.left("the checksum does not fit (bech32): a character may be mistyped or missing")
  const [header = 0] = bytes
  const body = bytes.subarray(1)
  if ((header & 15) !== mainnet) return Either.left("this is an address of a test network")
  return fits(decoded.prefix.toLowerCase(), header >> 4, body)
    ? Either.right(lower)
    : Either.left("this is neither a payment address nor a stake address (CIP-19)")
}

/** Whether an address is a stake address; its balance is that of all its payment addresses. */
export const isStake = (address: string): boolean => address.startsWith("stake1")

/** The form of an address, in any spelling. */
export const formOf = (text: string): AddressForm =>
  isStake(text.toLowerCase())
    ? { kind: "stake", note: "A stake address: it stands for all payment addresses of its key." }
    : plainAddress

/** The stake address of a base address; undefined if the address has none. */
export const stakeOf = (address: string): string | undefined => {
  const decoded = address.startsWith("addr1") ? bech32.decodeUnsafe(address, maxLength) : undefined
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  const type = (bytes?.[0] ?? 255) >> 4
  if (!bytes || type > 3) return undefined
  const kind = type < 2 ? ofKey : ofScript
  return bech32.encode("stake", bech32.toWords(Uint8Array.of((kind << 4) | mainnet, ...bytes.subarray(1 + value))))
}

/** Kinds of stake addresses: with the hash of a key, or of a script. */
const [ofKey, ofScript] = [14, 15]

const fits = (prefix: string, type: number, body: Uint8Array): boolean => {
  if (prefix === "stake") return (type === ofKey || type === ofScript) && body.length === value
  if (type <= 3) return body.length === two
  if (type === 6 || type === 7) return body.length === value
  return (type === 4 || type === 5) && isPointer(body.subarray(value))
}

/** Slot, transaction, certificate: three numbers with seven bits per byte; the last byte of each is below 128. */
const isPointer = (rest: Uint8Array): boolean =>
  rest.length > 0 && rest.filter((byte) => byte < 128).length === 3 && (rest.at(-1) ?? 128) < 128
