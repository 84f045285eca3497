import { createHash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import * as sr25519 from "@scure/sr25519"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { hexToBytes } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { parse } from "../../chains/polkadot/sending.ts"
import { compactAt } from "../../chains/polkadot/storage.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import * as Secp256k1 from "../world/Secp256k1.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"

// Supports the extensions of Asset Hub's runtime (CheckMortality, CheckNonce, ChargeAssetTxPayment, CheckMetadataHash)
// and the calls `Balances.transfer_allow_death` and `Balances.transfer_keep_alive`.

/** Decodes the era at the start of the extensions: its first block and the block after it, or null if it never ends. */
const eraOf = ([first = 0, second = 0]: Uint8Array, height: number) => {
  if (first === 0) return { end: 1, lifetime: null }
  const encoded = first | (second << 8)
  const period = 2 << (encoded % 16)
  const phase = (encoded >> 4) * Math.max(period >> 12, 1)
  const birth = Math.floor((Math.max(height, phase) - phase) / period) * period + phase
  return { end: 2, lifetime: { birth, death: birth + period } }
}

const [balances, allowDeath, keepAlive] = [10, 0, 3]

// Signatures of Substrate accounts (`sp_runtime::MultiSignature`).

interface Signed {
  /** Account id of the sender: its public key, or for ECDSA the hash of the key. */
  readonly signer: Uint8Array
  /** 0: Ed25519, 1: Sr25519, 2: ECDSA. */
  readonly signatureType: number
  readonly signature: Uint8Array
}

/** Length of a signature in bytes, by type. */
const signatureBytes = [64, 64, 65]

type Scheme = (signed: Signed, message: Uint8Array) => boolean

const hashed = (bytes: Uint8Array) => blake2b(bytes, { dkLen: 32 })

/** Verifiers by signature type. The account id of an ECDSA key is the hash of the compressed key. */
const schemes: ReadonlyArray<Scheme> = [
  ({ signature, signer }, message) => Ed25519.isSigned(signer, message, signature),
  ({ signature, signer }, message) => sr25519.verify(message, signature, signer),
  ({ signature, signer }, message) => {
    const key = Secp256k1.keyOf(hashed(message), signature.subarray(0, 64), signature[64] ?? 0)
    return Buffer.from(hashed(key.toBytes())).equals(signer)
  }
]

/** Whether the account signed this payload. Payloads of more than 256 bytes are hashed before signing. */
const isSigned = (signed: Signed, payload: Uint8Array): boolean =>
  Option.getOrElse(checked(signed, payload.length > 256 ? hashed(payload) : payload), () => false)

const checked = Option.liftThrowable(
  (signed: Signed, message: Uint8Array) => schemes[signed.signatureType]?.(signed, message) === true
)

type PolkadotFacts = World.InWorld<NetworkFacts>

/** Chain data that signatures commit to. */
export interface SignedChain {
  readonly genesis: string
  readonly specVersion: number
  readonly transactionVersion: number
}

/** Block hash. Ends with the height, so look-ups by hash need no state. */
export const blockHash = (height: number) =>
  `0x${createHash("sha256").update(`asset hub ${height}`).digest("hex").slice(0, 56)}${height.toString(16).padStart(8, "0")}`

/** Height of the finalized head at a time in ms: one block every six seconds. */
export const heightAt = (now: number): number => Math.floor(now / 6_000) - 280_000_000

/** Time of a block, ms. */
export const timeOf = (height: number): number => (height + 280_000_000) * 6_000

/** Minimum balance of an account: 0.01 DOT, in plancks. */
const existentialDeposit = 100_000_000n

/** Fee of a transfer with this number of bytes, in plancks. */
export const feeOf = (bytes: number): bigint => 14_000_000n + BigInt(bytes) * 10_000n

const invalid = (reason: string) => refused(1010, "Invalid Transaction", reason)

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const hex = (text: string) => Buffer.from(text.slice(2), "hex")

/** The parts of an extrinsic that its signer decides. */
export interface SignedExtrinsic {
  /** Function of the pallet. */
  readonly function: string
  readonly nonce: number
  /** Plancks. */
  readonly tip: bigint
  /** Hexadecimal digits with `0x`. */
  readonly signature: string
  /** First block in which it is valid, and the first in which it no longer is; null if it is always valid. */
  readonly lifetime: { readonly birth: number; readonly death: number } | null
}

interface SubmittedTransfer extends Submit.SignedEvent {
  readonly from: string
  readonly to: string
  readonly fee: bigint
  readonly keepsAlive: boolean
}

const unreadable = refused(1001, "Extrinsic has invalid format: could not decode")
const notSimulated = invalid("The call is not simulated")

const codecOf = (facts: PolkadotFacts, chain: SignedChain): Submit.Codec<SubmittedTransfer, Refusal> => ({
  decode: (text, now) =>
    Either.gen(function* () {
      const parsed = yield* Either.mapLeft(parse(text), () => unreadable)
      const bytes = hexToBytes(parsed.hex)
      const body = bytes.subarray(compactAt(bytes, 0)?.[1])
      const [version, addressType] = body
      const signatureType = body[34] ?? 0
      const rest = body.subarray(35 + (signatureBytes[signatureType] ?? body.length))
      // 0x84: signed, version 4. Address type 0: account id of 32 bytes.
      if (version !== 0x84 || addressType !== 0 || rest.length === 0) return yield* Either.left(unreadable)
      const { end, lifetime } = eraOf(rest, heightAt(now))
      const nonce = compactAt(rest, end)
      const tip = nonce && compactAt(rest, nonce[1])
      if (nonce === undefined || tip === undefined) return yield* Either.left(unreadable)
      // The fee asset (0: none, pay in DOT), then the mode of the metadata hash.
      const [asset, mode = 0] = rest.subarray(tip[1])
      const call = rest.subarray(tip[1] + 2)
      const [pallet, method = 0, receiverType] = call
      const planck = compactAt(call, 35)
      if (asset !== 0 || mode > 1 || pallet !== balances || receiverType !== 0) return yield* Either.left(notSimulated)
      if ((method !== allowDeath && method !== keepAlive) || planck === undefined || planck[1] !== call.length)
        return yield* Either.left(notSimulated)
      const signer = body.subarray(2, 34)
      const signature = body.subarray(35, body.length - rest.length)
      // The signature commits to the hash of the era's first block.
      const payload = Buffer.concat([
        call,
        rest.subarray(0, tip[1] + 2),
        u32(chain.specVersion),
        u32(chain.transactionVersion),
        hex(chain.genesis),
        hex(lifetime === null ? chain.genesis : blockHash(lifetime.birth)),
        Buffer.of(0)
      ])
      // The metadata hash (mode 1) is not simulated.
      if (mode === 1 || !isSigned({ signer, signatureType, signature }, payload))
        return yield* Either.left(invalid("Transaction has a bad signature"))
      const details: SignedExtrinsic = {
        function: method === keepAlive ? "transfer_keep_alive" : "transfer_allow_death",
        nonce: Number(nonce[0]),
        tip: tip[0],
        signature: `0x${Buffer.from(signature).toString("hex")}`,
        lifetime
      }
      return {
        id: parsed.hash.slice(2),
        details,
        from: `0x${Buffer.from(signer).toString("hex")}`,
        to: `0x${Buffer.from(call.subarray(3, 35)).toString("hex")}`,
        amount: planck[0],
        fee: feeOf(bytes.length) + tip[0],
        sequence: Number(nonce[0]),
        keepsAlive: method === keepAlive
      }
    }),
  refusal: (problem, { id }) => {
    if (problem === "pending") return refused(1013, "Transaction is already imported", `0x${id}`)
    return invalid(
      problem === "future sequence" ? "Transaction will be valid in the future" : "Transaction is outdated"
    )
  },
  check: (signed) => {
    const { amount, fee, from, keepsAlive, to } = signed
    const free = Submit.available(facts, from) - locked(facts, from)
    if (free < fee) return Either.left(invalid("Inability to pay some fees , e.g. account balance too low"))
    // A real chain includes it in a block as failed and charges the fee; the sandbox rejects it.
    const left = free - fee - amount
    const isNew = World.native(facts, to) === 0n
    return left < (keepsAlive ? existentialDeposit : 0n) || (isNew && amount < existentialDeposit)
      ? Either.left(invalid("Custom error: the transfer would fail"))
      : Either.right(signed)
  },
  nextBlock: (now) => 6_000 * (Math.floor(now / 6_000) + 1)
})

/** Extrinsics submitted to a simulated chain. */
export const extrinsics = (facts: PolkadotFacts, chain: SignedChain) => {
  const sent = Submit.submissions(facts, codecOf(facts, chain))
  return {
    nonceOf: (account: string, withPending = false) => Submit.sequenceOf(facts, account, withPending),
    /** Sender of a submitted extrinsic, by its hash. */
    senderOf: (hash: string): string | undefined => sent.find(hash.slice(2))?.signed.from,
    /** Result of `author_submitExtrinsic`. */
    submit: (text: string, now: number) => Either.map(sent.submit(text, now), ({ id }) => `0x${id}`)
  }
}

export type Extrinsics = ReturnType<typeof extrinsics>

/** Amount that cannot be sent: a third is reserved; half of the rest is frozen, and the reserve counts towards that. */
const locked = (facts: PolkadotFacts, account: string) => {
  const total = World.native(facts, account)
  const reserved = total / 3n
  const frozen = (total - reserved) / 2n
  return reserved + (frozen > reserved ? frozen - reserved : 0n)
}
