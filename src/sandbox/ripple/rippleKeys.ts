import { createPublicKey, verify } from "node:crypto"
import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import { bytesToHex, recoverPublicKey } from "viem/utils"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import { halfHash, keys, type RippleTransaction } from "../../chains/ripple/RippleTransaction.ts"

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

/** r and s of a signature in DER. */
const fromDer = (der: Uint8Array) => {
  const rLength = der[3] ?? 0
  const sStart = 4 + rLength + 2
  const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`)
  return { r: number(der.subarray(4, 4 + rLength)), s: number(der.subarray(sStart, sStart + (der[sStart - 1] ?? 0))) }
}

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const

/** `02` or `03`, by the sign of y, and x. */
const compressed = (key: string) => `0${2 + (Number.parseInt(key.slice(-1), 16) & 1)}${key.slice(4, 68)}`

/** Whether the owner of a public key signed the transaction. */
export const isSigned = (
  transaction: RippleTransaction,
  publicKey: Uint8Array,
  signature: Uint8Array
): Effect.Effect<boolean> => {
  const parts = signedParts(transaction)
  if (isEd25519(publicKey))
    return Effect.sync(() => {
      const x = Buffer.from(publicKey.subarray(1)).toString("base64url")
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
      return verify(null, Buffer.concat([Buffer.from(signing, "hex"), ...parts]), key, signature)
    }).pipe(Effect.catchAllDefect(() => Effect.succeed(false)))
  const hash = bytesToHex(halfHash(signing, ...parts))
  const { r, s } = fromDer(signature)
  const own = Buffer.from(publicKey).toString("hex")
  const recovered = (yParity: number) =>
    Effect.tryPromise(() => recoverPublicKey({ hash, signature: { r: word(r), s: word(s), yParity } })).pipe(
      Effect.match({ onFailure: () => false, onSuccess: (key) => compressed(key) === own })
    )
  return Effect.zipWith(recovered(0), recovered(1), (even, odd) => even || odd)
}
