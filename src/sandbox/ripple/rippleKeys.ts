import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import { halfHash, keys, type RippleTransaction } from "../../chains/ripple/RippleTransaction.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import { isSignedBy } from "../world/secp256k1.ts"

// Keys and signatures of the ledger (xrpl.org/docs/concepts/accounts/cryptographic-keys).

/** The address of a public key of 33 bytes. */
export const addressOf = (publicKey: Uint8Array): string => RippleAddress.ofAccount(ripemd160(sha256(publicKey)))

/** `STX` and a zero. */
const signing = "53545800"

/** All fields but the signatures. */
const signedParts = ({ bytes, fields }: RippleTransaction): ReadonlyArray<Uint8Array> =>
  fields.flatMap(({ end, key, start }) =>
    key === keys.signature || key === keys.signers ? [] : [bytes.subarray(start, end)]
  )

const isEd25519 = (publicKey: Uint8Array) => publicKey[0] === 0xed

/** Whether the owner of a public key signed the transaction. */
export const isSigned = (
  transaction: RippleTransaction,
  publicKey: Uint8Array,
  signature: Uint8Array
): Effect.Effect<boolean> => {
  const parts = signedParts(transaction)
  if (isEd25519(publicKey))
    return Effect.succeed(
      Ed25519.isSigned(publicKey.subarray(1), Buffer.concat([Buffer.from(signing, "hex"), ...parts]), signature)
    )
  return isSignedBy(publicKey, halfHash(signing, ...parts), signature)
}
