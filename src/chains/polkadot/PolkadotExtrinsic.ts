import { blake2b } from "@noble/hashes/blake2"
import * as Either from "effect/Either"
import { bytesToHex, hexToBytes } from "viem/utils"
import { hexProblem } from "../nodeResponse.ts"
import { compactAt } from "./storage.ts"

// A signed extrinsic in SCALE (`sp_runtime::generic::UncheckedExtrinsic`): its length, and data whose format depends on
// the runtime and is decoded only by the node.

/** More than the size of any wallet's extrinsic, and small enough to hash without delaying other requests. */
const maxBytes = 128 * 1024

/** An extrinsic that a node could accept. */
export interface PolkadotExtrinsic {
  /** In hex with `0x`, lower case. */
  readonly hex: `0x${string}`
  /** Blake2b-256 of all its bytes, with `0x`. */
  readonly hash: `0x${string}`
}

/** Parses a signed extrinsic in hexadecimal digits, with or without `0x`; left is an error message for the user. */
export const parse = (text: string): Either.Either<PolkadotExtrinsic, string> => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  const problem = hexProblem(digits, maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const hex = `0x${digits}` as const
  const bytes = hexToBytes(hex)
  const [length, begins] = compactAt(bytes, 0) ?? [0n, 0]
  const rest = bytes.length - begins
  if (rest === 0 || begins === 0 || length >= 2n ** 32n) return Either.left("it does not begin with its length")
  return BigInt(rest) === length
    ? Either.right({ hex, hash: bytesToHex(blake2b(bytes, { dkLen: 32 })) })
    : Either.left(`it has ${rest} bytes after its length prefix, which declares ${length}`)
}

/** Parses the hash of an extrinsic to `0x` and lower case; left is an error message for the user. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(`0x${text.slice(-64).toLowerCase()}`)
    : Either.left("the hash of an extrinsic is 64 hexadecimal digits, with or without 0x")
