import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3"
import * as Option from "effect/Option"

/** The public key whose owner made a signature (r and s) of a hash. Throws where there is none. */
export const keyOf = (hash: Uint8Array, signature: Uint8Array, yParity: number) =>
  secp256k1.Signature.fromBytes(Uint8Array.of(yParity, ...signature), "recovered").recoverPublicKey(hash)

/** The address of that key on EVM networks, in lower case. */
export const signerOf = Option.liftThrowable((hash: Uint8Array, signature: Uint8Array, yParity: number) => {
  const point = keyOf(hash, signature, yParity).toBytes(false)
  return `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString("hex")}`
})
