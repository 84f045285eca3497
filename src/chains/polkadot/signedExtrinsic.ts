import { bytesToHex } from "viem/utils"
import { incomplete, type SignedContent, type SignedPayment } from "../kit/sending/content.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import { compactAt } from "./storage.ts"

/** A signed extrinsic of version 4, and the kinds of its sender (an account id) and of its signature. */
const [signed4, accountId] = [0x84, 0]
const signatureBytes = [64, 64, 65]

const keyBytes = 32

/** The parts of a signed extrinsic. */
export interface SignedExtrinsic {
  /** The public key, with `0x`. */
  readonly account: `0x${string}`
  readonly nonce: bigint
  /** Blocks of its era; undefined if it does not expire. */
  readonly period: number | undefined
  /** What follows the nonce: further extensions, whose format the runtime determines, and the call. */
  readonly rest: Uint8Array
}

/** Sender, nonce and era of a signed extrinsic as wallets build it; undefined for another format. */
export const signedExtrinsic = (bytes: Uint8Array): SignedExtrinsic | undefined => {
  const [, start = 0] = compactAt(bytes, 0) ?? []
  const signature = signatureBytes[bytes[start + 34] ?? 255]
  if (bytes[start] !== signed4 || bytes[start + 1] !== accountId || signature === undefined) return undefined
  const at = start + 35 + signature
  const [first = 0, second = 0] = bytes.subarray(at)
  const nonce = compactAt(bytes, first === 0 ? at + 1 : at + 2)
  if (nonce === undefined) return undefined
  return {
    account: bytesToHex(bytes.subarray(start + 2, start + 34)),
    nonce: nonce[0],
    period: first === 0 ? undefined : 2 << ((first | (second << 8)) & 15),
    rest: bytes.subarray(nonce[1])
  }
}

/** Transfers of Asset Hub, by pallet and call: Balances (all but `transfer_all`), and Assets. */
const transfers: Readonly<Record<string, "coins" | "asset">> = {
  "10.0": "coins",
  "10.3": "coins",
  "50.8": "asset",
  "50.9": "asset"
}

interface PlacedPayment {
  readonly payment: SignedPayment
  /** Where it ends. */
  readonly end: number
}

/** The recipient, an account id, and the amount after it. */
const paymentAt = (bytes: Uint8Array, at: number, token: string | undefined): PlacedPayment | undefined => {
  const amount = compactAt(bytes, at + 1 + keyBytes)
  if (bytes[at] !== accountId || amount === undefined) return undefined
  const to = PolkadotAddress.format(bytesToHex(bytes.subarray(at + 1, at + 1 + keyBytes)))
  return { payment: { to, ...(token === undefined ? {} : { token }), amount: amount[0] }, end: amount[1] }
}

/** The tip, and the payment after the extensions of today's runtime: undefined unless both end with the extrinsic. */
const paymentIn = (rest: Uint8Array): { readonly tip: bigint; readonly payment: SignedPayment } | undefined => {
  // ChargeAssetTxPayment (a tip, and no asset that pays the fee), CheckMetadataHash (a mode).
  const [tip, after] = compactAt(rest, 0) ?? []
  if (tip === undefined || after === undefined || rest[after] !== 0 || (rest[after + 1] ?? 2) > 1) return undefined
  const kind = transfers[`${rest[after + 2]}.${rest[after + 3]}`]
  const asset = kind === "asset" ? compactAt(rest, after + 4) : undefined
  if (kind === undefined || (kind === "asset" && asset === undefined)) return undefined
  const call = paymentAt(rest, asset?.[1] ?? after + 4, asset === undefined ? undefined : String(asset[0]))
  return call?.end === rest.length ? { tip, payment: call.payment } : undefined
}

/** What an extrinsic does. */
export const contentOf = (read: SignedExtrinsic | undefined): SignedContent => {
  const paid = read && paymentIn(read.rest)
  const tip = paid === undefined || paid.tip === 0n ? "" : `, plus a tip of ${paid.tip} base units`
  const notRead = "the format of this extrinsic is not read"
  return {
    ...(read === undefined ? {} : { from: PolkadotAddress.format(read.account), nonce: read.nonce }),
    payments: paid === undefined ? [] : [paid.payment],
    unknown: {
      ...(read === undefined ? { from: notRead, nonce: notRead } : {}),
      ...incomplete([paid === undefined && "its call is not a transfer that is read"]),
      fee: `the runtime computes it from the weight of the call${tip}`,
      ...(read?.period === undefined
        ? {}
        : { expiresAt: `its last block is at most ${read.period} blocks after the one at which it was signed` })
    }
  }
}
