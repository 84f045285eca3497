import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Option from "effect/Option"

/** Maximum base58 length: a transaction of 1,232 bytes has 1,683 characters. Decoding takes quadratic time. */
const longest = 2_000

/** Decodes base58; none if the text is invalid or longer than `longest`. */
export const fromBase58 = (text: string): Option.Option<Uint8Array> =>
  text.length > longest ? Option.none() : decoded(text)

const decoded = Option.liftThrowable((text: string) => base58.decode(text))

/** Slot time, ms. */
const period = 400

/** Slots per epoch; skipped slots; slots for which a blockhash is valid. */
const epoch = 432_000
const skipped = 20_000_000
export const lifetime = 150

/** Number of slots after which a slot is final. */
export const final = 32

/** The latest slots by commitment. */
export const slot = (now: number, commitment: string = "finalized"): number => {
  const newest = Math.floor(now / period)
  return commitment === "processed" ? newest : commitment === "confirmed" ? newest - 1 : newest - final
}

/** The slot of a time in UNIX seconds. */
export const slotOf = (at: number): number => Math.floor(at / 0.4)

/** Time of a slot, UNIX seconds. */
export const timeOf = (slot: number): number => Math.ceil((slot * 2) / 5)

export const heightOf = (slot: number): number => slot - skipped

const digest = (chain: string, slot: number) => createHash("sha256").update(`${chain} slot ${slot}`).digest()

/** Blockhash of a slot. Contains the slot, so look-ups by hash need no state. */
export const blockhash = (chain: string, slot: number): string => {
  const bytes = digest(chain, slot)
  bytes.writeBigUInt64BE(BigInt(slot), 24)
  return base58.encode(bytes)
}

/** Last block height at which a blockhash is valid; undefined for an unknown blockhash. */
export const lastValid = (chain: string, hash: string): number | undefined => {
  const bytes = Option.getOrUndefined(fromBase58(hash))
  if (bytes?.length !== 32) return undefined
  const slot = Number(Buffer.from(bytes).readBigUInt64BE(24))
  return blockhash(chain, slot) === hash ? heightOf(slot) + lifetime : undefined
}

/** Whether a blockhash is valid now. */
export const isValid = (chain: string, hash: string, now: number): boolean => {
  const until = lastValid(chain, hash)
  const height = heightOf(slot(now, "processed"))
  return until !== undefined && height <= until && until - lifetime <= height
}

export const epochInfo = (slot: number) => ({
  absoluteSlot: slot,
  blockHeight: heightOf(slot),
  epoch: Math.floor(slot / epoch),
  slotIndex: slot % epoch,
  slotsInEpoch: epoch,
  transactionCount: slot * 1_000
})

/** The rent-exempt minimum of an account of this size: two years of rent, with 128 bytes added to the size. */
export const rentExempt = (bytes: number): number => (bytes + 128) * 3480 * 2
