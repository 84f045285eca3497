import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import { bytesToHex, recoverPublicKey } from "viem/utils"

// Signatures on the curve of Bitcoin and the XRP Ledger.

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`)

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const

/** An integer of DER: as short as it can be, with a zero before a highest bit. */
const integer = (value: bigint) => {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
  const signed = (bytes[0] ?? 0) > 0x7f ? [0, ...bytes] : bytes
  return Buffer.of(2, signed.length, ...signed)
}

/** r and s of a signature in DER; undefined where it is not written as BIP-66 has it. */
const fromDer = (der: Uint8Array) => {
  const rLength = der[3] ?? 0
  const [r, s] = [number(der.subarray(4, 4 + rLength)), number(der.subarray(6 + rLength))]
  const numbers = Buffer.concat([integer(r), integer(s)])
  return Buffer.of(0x30, numbers.length, ...numbers).equals(der) ? { r, s } : undefined
}

/** The point that a signature of a hash, with this parity of its own point, belongs to: 04, x and y. */
const recovered = (hash: Uint8Array, r: bigint, s: bigint, yParity: number) =>
  Effect.tryPromise(() => recoverPublicKey({ hash: bytesToHex(hash), signature: { r: word(r), s: word(s), yParity } }))

const compressed = (point: string) => `0${2 + (Number.parseInt(point.slice(-1), 16) & 1)}${point.slice(4, 68)}`

/** Whether the owner of a public key, of 33 or 65 bytes, signed a hash (ECDSA, in DER). */
export const isSignedBy = (publicKey: Uint8Array, hash: Uint8Array, der: Uint8Array): Effect.Effect<boolean> => {
  const signature = fromDer(der)
  if (signature === undefined) return Effect.succeed(false)
  const own = Buffer.from(publicKey).toString("hex")
  const fits = (yParity: number) =>
    Effect.match(recovered(hash, signature.r, signature.s, yParity), {
      onFailure: () => false,
      onSuccess: (point) => compressed(point) === own || point === `0x${own}`
    })
  return Effect.zipWith(fits(0), fits(1), (even, odd) => even || odd)
}

/** A hash that is told apart by its purpose (BIP-340). */
export const tagged = (tag: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const prefix = sha256(Buffer.from(tag))
  return sha256(Buffer.concat([prefix, prefix, ...parts]))
}

/**
 * Whether the owner of the key with this x signed a message (BIP-340). The point s·G - e·P is what ECDSA recovers from the
 * signature (x, -e·x) of -s·x.
 */
export const isSchnorrSignedBy = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const [x, s] = [number(key), number(signature.subarray(32))]
  if (signature.length !== 64 || s >= order) return Effect.succeed(false)
  const rx = signature.subarray(0, 32)
  const e = number(tagged("BIP0340/challenge", rx, key, message)) % order
  const negative = (value: bigint) => (order - ((value * x) % order)) % order
  return Effect.match(recovered(Buffer.from(word(negative(s)).slice(2), "hex"), x, negative(e), 0), {
    onFailure: () => false,
    onSuccess: (point) => compressed(point) === `02${Buffer.from(rx).toString("hex")}`
  })
}
