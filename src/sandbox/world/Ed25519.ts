import { createPublicKey, verify } from "node:crypto"
import * as Option from "effect/Option"

/** What stands before a key in the form that Node reads (RFC 8410). */
const prefix = Buffer.from("302a300506032b6570032100", "hex")

const verified = Option.liftThrowable((publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const key = createPublicKey({ key: Buffer.concat([prefix, publicKey]), format: "der", type: "spki" })
  return verify(null, message, key, signature)
})

/** Whether the owner of a public key of 32 bytes signed a message (RFC 8032); false for what is no key. */
export const isSigned = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  publicKey.length === 32 && Option.getOrElse(verified(publicKey, message, signature), () => false)
