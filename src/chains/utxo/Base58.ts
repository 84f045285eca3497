import { sha256 } from "@noble/hashes/sha2"
import { createBase58check } from "@scure/base"
import * as Option from "effect/Option"

const base58check = createBase58check(sha256)

/** Longer than any address or key; decoding takes time that grows with the square of the length. */
const longest = 120

/** The bytes of a base58 text whose checksum of four bytes fits. */
export const decode: (text: string) => Option.Option<Uint8Array> = Option.liftThrowable((text: string) =>
  base58check.decode(text.length > longest ? "" : text)
)

export const encode = (bytes: Uint8Array): string => base58check.encode(bytes)

/** Whether it could be base58 at all. */
export const isAlphabet = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]+$/.test(text)
