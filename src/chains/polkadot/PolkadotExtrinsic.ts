import { blake2b } from "@noble/hashes/blake2"
import * as Either from "effect/Either"
import { bytesToHex, hexToBytes } from "viem/utils"
import { hexProblem } from "../nodeResponse.ts"

// A signed extrinsic in SCALE (`sp_runtime::generic::UncheckedExtrinsic`): its length, its version, who signed and how, the
// extensions, the call. The latter two depend on the runtime and are left to the node.

/** More than any extrinsic of a wallet has, and little enough to be hashed without holding up other requests. */
const maxBytes = 128 * 1024

/** An extrinsic that a node could accept. */
export interface PolkadotExtrinsic {
  /** In hex with `0x`, lower case. */
  readonly hex: `0x${string}`
  /** Blake2b-256 of all of its bytes, with `0x`. */
  readonly hash: `0x${string}`
  readonly bytes: Uint8Array
  /** The public key of who signed it, where it is a signed one of version 4. */
  readonly signer: Uint8Array | undefined
  /** 0: Ed25519, 1: Sr25519, 2: ECDSA. */
  readonly signatureType: number
  readonly signature: Uint8Array
  /** What follows the signature: extensions and call. */
  readonly rest: Uint8Array
}

/** A compact integer of SCALE below 2^32, and where it ends. */
export const compactAt = (bytes: Uint8Array, at: number): readonly [value: number, end: number] | undefined => {
  const first = bytes[at] ?? 0
  const mode = first & 3
  const length = mode === 3 ? (first >> 2) + 4 : 1 << mode
  const start = mode === 3 ? at + 1 : at
  if (length > 4 || start + length > bytes.length) return undefined
  const value = bytes.subarray(start, start + length).reduceRight((sum, byte) => sum * 256 + byte, 0)
  return [mode === 3 ? value : Math.floor(value / 4), start + length]
}

/** Signed, version 4; and general, version 5, whose extensions contain the signature. */
const [signed4, general5] = [0x84, 0x45]

/** Bytes of a signature, by its type. */
const signatureBytes = [64, 64, 65]

const none = { signer: undefined, signatureType: 0, signature: new Uint8Array() }

const signedParts = (body: Uint8Array) => {
  const [, addressType, ...after] = body.subarray(0, 2 + 33)
  if (addressType !== 0 || after.length !== 33) return undefined
  const type = after[32] ?? 0
  const length = signatureBytes[type]
  if (length === undefined || body.length <= 35 + length) return undefined
  return {
    signer: body.subarray(2, 34),
    signatureType: type,
    signature: body.subarray(35, 35 + length),
    rest: body.subarray(35 + length)
  }
}

/** A signed extrinsic in hexadecimal digits, with or without `0x`; left is what is wrong with it, for people. */
export const parse = (text: string): Either.Either<PolkadotExtrinsic, string> => {
  const digits = text.replace(/^0x/i, "").toLowerCase()
  const problem = hexProblem(digits, maxBytes)
  if (problem !== undefined) return Either.left(problem)
  const hex = `0x${digits}` as const
  const bytes = hexToBytes(hex)
  const [length, begins] = compactAt(bytes, 0) ?? [0, 0]
  const body = bytes.subarray(begins)
  if (body.length === 0) return Either.left("it does not begin with its length")
  if (body.length !== length)
    return Either.left(`it has ${body.length} bytes after its length, which says that they are ${length}`)
  const [version] = body
  if (version !== signed4 && version !== general5)
    return Either.left("it is not a signed extrinsic: those begin with 0x84 after their length, general ones with 0x45")
  const parts = version === general5 ? { ...none, rest: body.subarray(1) } : signedParts(body)
  return parts === undefined
    ? Either.left("its account or its signature is not whole: an account id of 32 bytes, then a signature of 64 or 65")
    : Either.right({ hex, hash: bytesToHex(blake2b(bytes, { dkLen: 32 })), bytes, ...parts })
}

/** The hash of an extrinsic, with `0x` and in lower case; left is a message for people. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(`0x${text.slice(-64).toLowerCase()}`)
    : Either.left("the hash of an extrinsic is 64 hexadecimal digits, with or without 0x")
