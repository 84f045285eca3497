import { sha256 } from "@noble/hashes/sha2"
import { createBase58check } from "@scure/base"
import * as Option from "effect/Option"

const base58check = createBase58check(sha256)

/** Longer than any address or key; the time to decode grows with the square of the length. */
const longest = 120

/** Decodes base58check; none if the checksum of four bytes is wrong. */
export const decode: (text: string) => Option.Option<Uint8Array> = Option.liftThrowable((text: string) =>
  base58check.decode(text.length > longest ? "" : text)
)

export const encode = (bytes: Uint8Array): string => base58check.encode(bytes)

/** Whether all characters belong to the base58 alphabet. */
export const isAlphabet = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]+$/.test(text)
