import { bech32 } from "@scure/base"
import * as Either from "effect/Either"

// CashAddr (github.com/bitcoincashorg/bitcoincash.org/blob/master/spec/cashaddr.md).

export interface CashAddr {
  /** Identifies the network, in lower case. */
  readonly prefix: string
  /** 0: hash of a key, 1: hash of a script; 2 and 3: those of wallets that support tokens. */
  readonly type: number
  readonly hash: Uint8Array
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
/** The upper and lower twenty bits of each generator. */
const generators = [
  [0x98f2b, 0xc8e61],
  [0x79b76, 0xd99e2],
  [0xf33e5, 0xfb3c4],
  [0xae2ea, 0xbe2a8],
  [0x1e4f4, 0x3e470]
] as const
const checksumLength = 8

/** The length of a hash in bytes, by the three size bits of the version byte. */
const sizes = [20, 24, 28, 32, 40, 48, 56, 64]

/** Longer than the longest hash with the prefix of any network. */
const longest = 180

/** BCH code over five-bit values: its forty bits as eight such values; all are zero if the checksum is correct. */
const polymod = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  let [high, low] = [0, 1]
  for (const value of values) {
    const top = high >> 15
    high = ((high & 0x7fff) << 5) | (low >> 15)
    low = ((low & 0x7fff) << 5) ^ value
    for (let bit = 0; bit < generators.length; bit++) {
      if (((top >> bit) & 1) === 0) continue
      high ^= generators[bit]?.[0] ?? 0
      low ^= generators[bit]?.[1] ?? 0
    }
  }
  low ^= 1
  return [high, low].flatMap((half) => [half >> 15, (half >> 10) & 31, (half >> 5) & 31, half & 31])
}

const expanded = (prefix: string) => [...Array.from(prefix, (letter) => letter.charCodeAt(0) & 31), 0]

/** Whether the text has this prefix, or the characters and length of an address with any prefix or none. */
export const resembles = (text: string, prefix: string): boolean => {
  const lower = text.toLowerCase()
  return lower.startsWith(`${prefix}:`) || /^([a-z]+:)?[qpzr][02-9ac-hj-np-z]{41,}$/.test(lower)
}

/** Decodes an address; `prefix` applies if the text has none. Left is the problem. */
export const decode = (text: string, prefix: string): Either.Either<CashAddr, string> => {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return Either.left("it mixes upper and lower case")
  if (text.length > longest) return Either.left("it is too long")
  const colon = lower.indexOf(":")
  const network = colon === -1 ? prefix : lower.slice(0, colon)
  const values = Array.from(lower.slice(colon + 1), (letter) => alphabet.indexOf(letter))
  if (network === "" || values.length <= checksumLength || values.includes(-1))
    return Either.left("it has an invalid character")
  if (polymod([...expanded(network), ...values]).some((part) => part !== 0)) return Either.left(wrongChecksum)
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
  const letters = [...values, ...checksum]
  return `${prefix}:${letters.map((value) => alphabet.charAt(value)).join("")}`
}

export const wrongChecksum = "its checksum is wrong: a character may be mistyped or missing"
