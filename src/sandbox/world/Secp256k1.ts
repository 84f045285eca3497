import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3"
import * as Option from "effect/Option"

/** Recovers the public key from a signature (r and s) of a hash. Throws if the signature is invalid. */
export const keyOf = (hash: Uint8Array, signature: Uint8Array, yParity: number) =>
  secp256k1.Signature.fromBytes(Uint8Array.of(yParity, ...signature), "recovered").recoverPublicKey(hash)

/** Recovers the signer's EVM address, in lower case; none if the signature is invalid. */
export const signerOf = Option.liftThrowable((hash: Uint8Array, signature: Uint8Array, yParity: number) => {
  const point = keyOf(hash, signature, yParity).toBytes(false)
  return `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString("hex")}`
})
