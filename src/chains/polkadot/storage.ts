import { blake2b } from "@noble/hashes/blake2"
import * as Option from "effect/Option"
import { bytesToHex, hexToBytes } from "viem/utils"
import { type Height, height, type Millis, millis } from "../../domain/units.ts"

// Storage keys of the runtime and the encoding of their values (SCALE). A key starts with the hashed names of the
// pallet and the item (XXH64 of each, with the seeds 0 and 1); the test recomputes these constants.

const systemAccount = "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9"
const stakingLedger = "5f3e4907f716ac89b6347d15ececedca422adb579f1dbf4f3886c5cfa3bb8cc4"
const assetsAccount = "682a59d51ab9e48a8c8cc418ff9708d2b99d880ec681799c0cf30e8886371da9"
const assetsMetadata = "682a59d51ab9e48a8c8cc418ff9708d2b5f3822e35ca2f31ce3526eab1363fd2"

/** System.BlockHash(0): never pruned, because signatures are checked against it. */
export const genesisKey =
  "0x26aa394eea5630e07c48ae0c9558cef7a44704b568d21667356a5a050c118746b4def25cfda6ef3a00000000" as const

/** Timestamp.Now: the time of the newest block, ms. */
export const timestampKey = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb" as const

/** System.Number: the height of the newest block. */
export const heightKey = "0x26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac" as const

type Hex = `0x${string}`

/** u64, little-endian; none for anything else. */
export const decodeTimestamp = (stored: Stored | undefined): Option.Option<Millis> =>
  typeof stored === "string" && stored.length === 18
    ? Option.some(millis(Number(Buffer.from(stored.slice(2), "hex").readBigUInt64LE())))
    : Option.none()

/** u32, little-endian; none for anything else. */
export const decodeHeight = (stored: Stored | undefined): Option.Option<Height> =>
  typeof stored === "string" && stored.length === 10
    ? Option.some(height(Buffer.from(stored.slice(2), "hex").readUInt32LE()))
    : Option.none()

/** System.Account of a public key. */
export const accountKey = (account: Hex): Hex => `0x${systemAccount}${concat(hexToBytes(account))}`

/** Staking.Ledger of a public key. */
export const ledgerKey = (account: Hex): Hex => `0x${stakingLedger}${concat(hexToBytes(account))}`

/** Assets.Account of an asset and a public key. */
export const holderKey = (asset: string, account: Hex): Hex =>
  `0x${assetsAccount}${concat(u32(Number(asset)))}${concat(hexToBytes(account))}`

/** Assets.Metadata of an asset. */
export const metadataKey = (asset: string): Hex => `0x${assetsMetadata}${concat(u32(Number(asset)))}`

/** Blake2_128Concat. */
const concat = (bytes: Uint8Array) => bytesToHex(blake2b(bytes, { dkLen: 16 })).slice(2) + bytesToHex(bytes).slice(2)

/** A number of 32 bits, little-endian. */
export const u32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** A storage value; null if the key has no value. */
export type Stored = Hex | null

/** The coins of an account; frozen coins are part of the free and the reserved coins. */
export interface AccountBalance {
  readonly free: bigint
  readonly reserved: bigint
  readonly frozen: bigint
}

const nothing: AccountBalance = { free: 0n, reserved: 0n, frozen: 0n }

/**
 * The coins of an AccountInfo; zero if the account does not exist. Four counters of 32 bits are followed by free,
 * reserved, frozen and flags of 128 bits each; other chains have other layouts. The flags are not an amount.
 */
export const accountBalance = (stored: Stored): Option.Option<AccountBalance> => {
  if (stored === null) return Option.some(nothing)
  const bytes = hexToBytes(stored)
  return bytes.length === 80
    ? Option.some({ free: u128(bytes, 16), reserved: u128(bytes, 32), frozen: u128(bytes, 48) })
    : Option.none()
}

/** The nonce at the start of an AccountInfo; none if the account does not exist. */
export const accountNonce = (stored: Stored): Option.Option<number> =>
  stored === null || stored.length !== 162
    ? Option.none()
    : Option.some(Buffer.from(stored.slice(2, 10), "hex").readUInt32LE())

/**
 * The coins in the StakingLedger of this account, including coins that are being unstaked: the stash is followed by the
 * compact total. Zero without a ledger; none for another stash or an unknown format.
 */
export const stakedIn = (stored: Stored, account: Hex): Option.Option<bigint> => {
  if (stored === null) return Option.some(0n)
  const bytes = hexToBytes(stored)
  return bytesToHex(bytes.subarray(0, 32)) === account
    ? Option.map(Option.fromNullable(compactAt(bytes, 32)), ([total]) => total)
    : Option.none()
}

/**
 * A compact integer of up to 128 bits and its end; the two lowest bits of its first byte encode its length. Undefined if
 * it is larger or truncated.
 */
export const compactAt = (bytes: Uint8Array, at: number): readonly [value: bigint, end: number] | undefined => {
  const first = bytes[at] ?? 0
  const mode = first & 3
  const start = mode < 3 ? at : at + 1
  const end = start + (mode < 3 ? 1 << mode : (first >> 2) + 4)
  if (end > bytes.length || end - start > 16) return undefined
  const value = unsigned(bytes.subarray(start, end))
  return [mode < 3 ? value >> 2n : value, end]
}

/** The balance of an AssetAccount, which consists of balance, status and the reason for the account's existence. */
export const assetBalance = (stored: Stored): Option.Option<bigint> => {
  if (stored === null) return Option.some(0n)
  const bytes = hexToBytes(stored)
  const [status = 255, reason = 255] = bytes.subarray(16)
  return status <= 2 && bytes.length === 18 + (reasonBytes[reason] ?? Number.NaN)
    ? Option.some(u128(bytes, 0))
    : Option.none()
}

/** Consumer, Sufficient, DepositHeld(balance), DepositRefunded, DepositFrom(account, balance). */
const reasonBytes: ReadonlyArray<number | undefined> = [0, 0, 16, 0, 48]

export interface AssetMetadata {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** Layout: deposit, name, symbol, decimals, frozen flag. None if the asset has no metadata or the format is unknown. */
export const assetMetadata = (stored: Stored): Option.Option<AssetMetadata> => {
  if (stored === null) return Option.none()
  const bytes = hexToBytes(stored)
  return Option.flatMap(text(bytes, 16), (name) =>
    Option.flatMap(text(bytes, name.end), (symbol) => {
      const decimals = bytes[symbol.end]
      return decimals !== undefined && bytes.length === symbol.end + 2
        ? Option.some({ name: name.value, symbol: symbol.value, decimals })
        : Option.none()
    })
  )
}

/** Text after its compact length. */
const text = (bytes: Uint8Array, at: number) => {
  const [length = 0n, start = 0] = compactAt(bytes, at) ?? []
  const end = start + Number(length)
  return start === 0 || end > bytes.length
    ? Option.none()
    : Option.some({ value: new TextDecoder().decode(bytes.subarray(start, end)), end })
}

/** A little-endian number. */
export const unsigned = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

const u128 = (bytes: Uint8Array, at: number): bigint => unsigned(bytes.subarray(at, at + 16))
