import { createPublicKey, verify } from "node:crypto"
import * as Option from "effect/Option"

/** DER prefix of an Ed25519 public key in the SPKI format (RFC 8410). */
const prefix = Buffer.from("302a300506032b6570032100", "hex")

const verified = Option.liftThrowable((publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const key = createPublicKey({ key: Buffer.concat([prefix, publicKey]), format: "der", type: "spki" })
  return verify(null, message, key, signature)
})

/** Verifies an Ed25519 signature (RFC 8032) with a public key of 32 bytes. Returns false for an invalid key. */
export const isSigned = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  publicKey.length === 32 && Option.getOrElse(verified(publicKey, message, signature), () => false)
