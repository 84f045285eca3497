import * as Either from "effect/Either"
import { compactAt, type PolkadotExtrinsic, parse } from "../../chains/polkadot/PolkadotExtrinsic.ts"

// The extensions of Asset Hub's runtime (CheckMortality, CheckNonce, ChargeAssetTxPayment, CheckMetadataHash) and its calls
// `Balances.transfer_allow_death` and `Balances.transfer_keep_alive`.

/** A transfer as its sender signed it. */
export interface SignedTransfer {
  readonly extrinsic: PolkadotExtrinsic
  /** The public key of the sender, which is its account. */
  readonly signer: Uint8Array
  /** Undefined for a transaction that is valid for ever. */
  readonly era: { readonly period: number; readonly phase: number } | undefined
  readonly nonce: number
  readonly tip: bigint
  /** Whether the signature contains the hash of the metadata. */
  readonly hasMetadataHash: boolean
  /** The bytes of the extensions, and of the call. */
  readonly extra: Uint8Array
  readonly call: Uint8Array
  readonly keepsAlive: boolean
  /** A public key in hex, with `0x`. */
  readonly to: string
  readonly planck: bigint
}

/** A compact integer of any size, and where it ends. */
const amountAt = (bytes: Uint8Array, at: number): readonly [value: bigint, end: number] | undefined => {
  const first = bytes[at] ?? 0
  if ((first & 3) !== 3) {
    const small = compactAt(bytes, at)
    return small && [BigInt(small[0]), small[1]]
  }
  const end = at + 1 + (first >> 2) + 4
  if (end > bytes.length) return undefined
  return [bytes.subarray(at + 1, end).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n), end]
}

/** The era at the beginning of the extensions: one byte of zero, or two. */
const eraOf = (bytes: Uint8Array): { readonly era: SignedTransfer["era"]; readonly end: number } => {
  const [first = 0, second = 0] = bytes
  if (first === 0) return { era: undefined, end: 1 }
  const encoded = first | (second << 8)
  const period = 2 << (encoded % 16)
  return { era: { period, phase: (encoded >> 4) * Math.max(period >> 12, 1) }, end: 2 }
}

const [balances, allowDeath, keepAlive] = [10, 0, 3]

/** Left: `format` for what is no signed extrinsic, `call` for one that the simulated runtime does not have. */
export const read = (hex: string): Either.Either<SignedTransfer, "format" | "call"> =>
  Either.flatMap(
    Either.mapLeft(parse(hex), () => "format" as const),
    (extrinsic): Either.Either<SignedTransfer, "format" | "call"> => {
      const { rest, signer } = extrinsic
      const { end: afterEra, era } = eraOf(rest)
      const nonce = compactAt(rest, afterEra)
      const tip = nonce && amountAt(rest, nonce[1])
      if (signer === undefined || nonce === undefined || tip === undefined) return Either.left("format")
      // No other asset for the fee, then the mode of the metadata hash.
      const [asset, mode = 0] = rest.subarray(tip[1])
      const call = rest.subarray(tip[1] + 2)
      const [pallet, method = 0, addressType] = call
      const planck = amountAt(call, 35)
      if (asset !== 0 || mode > 1 || pallet !== balances || addressType !== 0) return Either.left("call")
      if ((method !== allowDeath && method !== keepAlive) || planck === undefined || planck[1] !== call.length)
        return Either.left("call")
      return Either.right({
        extrinsic,
        signer,
        era,
        nonce: nonce[0],
        tip: tip[0],
        hasMetadataHash: mode === 1,
        extra: rest.subarray(0, tip[1] + 2),
        call,
        keepsAlive: method === keepAlive,
        to: `0x${Buffer.from(call.subarray(3, 35)).toString("hex")}`,
        planck: planck[0]
      })
    }
  )
