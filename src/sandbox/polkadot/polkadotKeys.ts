import { blake2b } from "@noble/hashes/blake2"
import * as Effect from "effect/Effect"
import { bytesToHex, recoverPublicKey } from "viem/utils"
import type { PolkadotExtrinsic } from "../../chains/polkadot/PolkadotExtrinsic.ts"
import * as Ed25519 from "../world/Ed25519.ts"

// The signatures of Substrate's accounts (`sp_runtime::MultiSignature`).

type Signed = Pick<PolkadotExtrinsic, "signature" | "signatureType"> & { readonly signer: Uint8Array }

type Scheme = (signed: Signed, message: Uint8Array) => Effect.Effect<boolean, unknown>

const ed25519: Scheme = ({ signature, signer }, message) => Effect.succeed(Ed25519.isSigned(signer, message, signature))

/** Loaded with the first such signature: nothing else needs its curve. */
const sr25519: Scheme = ({ signature, signer }, message) =>
  Effect.tryMap(
    Effect.tryPromise(() => import("@scure/sr25519")),
    { try: (scheme) => scheme.verify(message, signature, signer), catch: (error) => error }
  )

/** The account of such a key is the hash of the compressed key. */
const ecdsa: Scheme = ({ signature, signer }, message) => {
  const bytes = Uint8Array.of(...signature.subarray(0, 64), (signature[64] ?? 0) + 27)
  return Effect.map(
    Effect.tryPromise(() =>
      recoverPublicKey({ hash: bytesToHex(blake2b(message, { dkLen: 32 })), signature: bytesToHex(bytes) })
    ),
    (key) => {
      const sign = 2 + (Number.parseInt(key.slice(-1), 16) & 1)
      const compressed = Buffer.from(`0${sign}${key.slice(4, 68)}`, "hex")
      return Buffer.from(blake2b(compressed, { dkLen: 32 })).equals(signer)
    }
  )
}

/** By the type of a signature. */
const schemes = [ed25519, sr25519, ecdsa]

/** Whether the account signed this payload: itself, or its hash where it is longer than 256 bytes. */
export const isSigned = (signed: Signed, payload: Uint8Array): Effect.Effect<boolean> => {
  const message = payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload
  const scheme = schemes[signed.signatureType]
  return scheme === undefined
    ? Effect.succeed(false)
    : Effect.match(scheme(signed, message), { onFailure: () => false, onSuccess: (isValid) => isValid })
}
