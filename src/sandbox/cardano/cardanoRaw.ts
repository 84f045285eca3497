import { createHash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import { base58, bech32 } from "@scure/base"
import type { CardanoOutput } from "./CardanoHistory.ts"

// A serialised transaction (CDDL of the Conway era), in CBOR (RFC 8949).

const head = (major: number, value: number | bigint): Buffer => {
  const [digits, size] = [BigInt(value).toString(16), [2, 4, 8, 16]]
  if (BigInt(value) < 24n) return Buffer.of((major << 5) | Number(value))
  const width = size.find((digitCount) => digits.length <= digitCount) ?? 16
  return Buffer.of((major << 5) | (24 + size.indexOf(width)), ...Buffer.from(digits.padStart(width, "0"), "hex"))
}

const unsigned = (value: number | bigint) => head(0, value)
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value])
const array = (items: ReadonlyArray<Uint8Array>) => Buffer.concat([head(4, items.length), ...items])
const map = (entries: ReadonlyArray<readonly [key: Uint8Array, value: Uint8Array]>) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])
const flag = (value: boolean) => Buffer.of(value ? 0xf5 : 0xf4)
const nothing = Buffer.of(0xf6)

const digest = (...words: ReadonlyArray<string>) => createHash("sha256").update(words.join("|")).digest()

/** Addresses of the Byron era are written in base58. */
const addressOf = (text: string): Uint8Array =>
  text.startsWith("addr1")
    ? Uint8Array.from(bech32.fromWords(bech32.decode(text as `${string}1${string}`, 1023).words))
    : base58.decode(text)

const valueOf = ({ asset, lovelace }: CardanoOutput) => {
  if (asset === undefined) return unsigned(lovelace)
  const part = (from: number, to?: number) => bytes(Buffer.from(asset.unit.slice(from, to), "hex"))
  const named = map([[part(56), unsigned(asset.quantity)]])
  return array([unsigned(lovelace), map([[part(0, 56), named]])])
}

const outputOf = (output: CardanoOutput) =>
  map([
    [unsigned(0), bytes(addressOf(output.address))],
    [unsigned(1), valueOf(output)]
  ])

interface Parts {
  readonly fee: bigint
  readonly valid: boolean
  readonly inputs: ReadonlyArray<CardanoOutput>
  readonly outputs: ReadonlyArray<CardanoOutput>
  readonly collateral: ReadonlyArray<CardanoOutput>
}

/**
 * A transaction of these parts in hexadecimal digits, and its id: the hash of its body. Inputs and signers are derived
 * from the seed.
 */
export const raw = (seed: string, { collateral, fee, inputs, outputs, valid }: Parts) => {
  const spent = (what: string, all: ReadonlyArray<CardanoOutput>) =>
    array(all.map((_, index) => array([bytes(digest(seed, what, String(index))), unsigned(index)])))
  const body = map([
    [unsigned(0), spent("spends", inputs)],
    [unsigned(1), array(outputs.map(outputOf))],
    [unsigned(2), unsigned(fee)],
    ...(collateral.length === 0 ? [] : [[unsigned(13), spent("pledges", collateral)] as const])
  ])
  const signature = Buffer.concat([digest(seed, "r"), digest(seed, "s")])
  const witnesses = map([[unsigned(0), array([array([bytes(digest(seed, "key")), bytes(signature)])])]])
  return {
    hash: Buffer.from(blake2b(body, { dkLen: 32 })).toString("hex"),
    cbor: array([body, witnesses, flag(valid), nothing]).toString("hex")
  }
}
