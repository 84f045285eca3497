import { bech32 } from "@scure/base"
import * as Either from "effect/Either"

// CashAddr (github.com/bitcoincashorg/bitcoincash.org/blob/master/spec/cashaddr.md).

export interface CashAddr {
  /** Which network, in lower case. */
  readonly prefix: string
  /** 0 a key's hash, 1 a script's; 2 and 3 the same for wallets that understand tokens. */
  readonly type: number
  readonly hash: Uint8Array
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const generators = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n]
const checksumLength = 8

/** Bytes of a hash by the three size bits of the version byte. */
const sizes = [20, 24, 28, 32, 40, 48, 56, 64]

/** Longer than the longest hash with any prefix of a network. */
const longest = 180

/** A BCH code over five-bit values; zero for a text with its checksum. */
const polymod = (values: ReadonlyArray<number>): bigint => {
  let state = 1n
  for (const value of values) {
    const top = state >> 35n
    state = ((state & 0x07ffffffffn) << 5n) ^ BigInt(value)
    for (const [bit, generator] of generators.entries()) if ((top >> BigInt(bit)) & 1n) state ^= generator
  }
  return state ^ 1n
}

const expanded = (prefix: string) => [...Array.from(prefix, (letter) => letter.charCodeAt(0) & 31), 0]

/** Whether it has the characters and the length of an address, with any prefix or without; or else this prefix. */
export const resembles = (text: string, prefix: string): boolean => {
  const lower = text.toLowerCase()
  return lower.startsWith(`${prefix}:`) || /^([a-z]+:)?[qpzr][02-9ac-hj-np-z]{41,}$/.test(lower)
}

/** `prefix` is the prefix of a text without any. Left is what is wrong. */
export const decode = (text: string, prefix: string): Either.Either<CashAddr, string> => {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return Either.left("it mixes upper and lower case")
  if (text.length > longest) return Either.left("it is too long")
  const colon = lower.indexOf(":")
  const network = colon === -1 ? prefix : lower.slice(0, colon)
  const values = Array.from(lower.slice(colon + 1), (letter) => alphabet.indexOf(letter))
  if (network === "" || values.length <= checksumLength || values.includes(-1))
    return Either.left("it has a character that does not belong there")
  if (polymod([...expanded(network), ...values]) !== 0n) return Either.left(wrongChecksum)
  const payload = bech32.fromWordsUnsafe(values.slice(0, -checksumLength))
  const version = payload ? payload[0] : undefined
  if (!payload || version === undefined || version > 127 || payload.length - 1 !== sizes[version & 7])
    return Either.left("its length is wrong")
  return Either.right({ prefix: network, type: version >> 3, hash: payload.slice(1) })
}

/** The hash must have a valid length. */
export const encode = ({ hash, prefix, type }: CashAddr): string => {
  const values = bech32.toWords(Uint8Array.of((type << 3) | sizes.indexOf(hash.length), ...hash))
  const checksum = polymod([...expanded(prefix), ...values, ...Array.from({ length: checksumLength }, () => 0)])
  const letters = [
    ...values,
    ...Array.from({ length: checksumLength }, (_, index) => Number((checksum >> BigInt(5 * (7 - index))) & 31n))
  ]
  return `${prefix}:${letters.map((value) => alphabet.charAt(value)).join("")}`
}

export const wrongChecksum = "its checksum is wrong: a character may be mistyped or missing"
