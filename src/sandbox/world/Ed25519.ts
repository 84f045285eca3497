import { ed25519 } from "@noble/curves/ed25519.js"
import * as Option from "effect/Option"

const verified = Option.liftThrowable(ed25519.verify)

/** Verifies an Ed25519 signature (RFC 8032) with a public key of 32 bytes. Returns false for an invalid key. */
export const isSigned = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  Option.getOrElse(verified(signature, message, publicKey), () => false)
