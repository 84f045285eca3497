import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { lockingScript } from "../../chains/utxo/lockingScript.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"

// The serialization of Bitcoin's protocol, with witnesses (BIP-144) where an input is of a witness address.

/** An output, or one that is spent; without an address it carries data. */
export interface RawSide {
  readonly address?: string
  readonly amount: bigint
}

/** A spent output, by its transaction and its place there. */
export interface Input extends RawSide {
  readonly hash: string
  readonly index: number
}

const sha256 = (...parts: ReadonlyArray<Uint8Array | string>): Buffer =>
  parts.reduce((all, part) => all.update(part), createHash("sha256")).digest()

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const uint64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

/** Everything here is shorter than 253 bytes or elements, and pushed data shorter than 76. */
const sized = (bytes: Uint8Array) => Buffer.of(bytes.length, ...bytes)
const listed = (parts: ReadonlyArray<Uint8Array>) => Buffer.concat([Buffer.of(parts.length), ...parts])

/** OP_RETURN, and a word. */
const data = Buffer.of(0x6a, ...sized(Buffer.from("sandbox")))

const payeeOf = (facts: UtxoFacts, address: string) =>
  Either.getOrThrowWith(UtxoAddress.decode(facts, address), (problem) => new RangeError(problem))

/** The script that pays an address. */
export const locking = (facts: UtxoFacts, address: string | undefined): Buffer => {
  if (address === undefined) return data
  const payee = payeeOf(facts, address)
  if (payee.kind === "extended") throw new RangeError("an extended key is paid at one of its addresses")
  return lockingScript(payee)
}

/** The script of an input has the form of signatures and keys, which are not valid. */
const unlocking = (facts: UtxoFacts, { address = "", hash, index }: Input) => {
  const payee = payeeOf(facts, address)
  const half = (name: string) => Buffer.of(0x02, 32, 0x40, ...sha256(name, hash, String(index)).subarray(1))
  const signature = Buffer.of(0x30, 68, ...half("r"), ...half("s"), facts.coding.cashaddr === undefined ? 1 : 0x41)
  const key = Buffer.of(0x02, ...sha256("key", address))
  const script = Buffer.of(...sized(key), 0xac)
  const none = Buffer.alloc(0)
  switch (payee.kind) {
    case "witness":
      if (payee.version > 0) return { script: none, witness: [signature.subarray(4, 68)] }
      return { script: none, witness: [signature, payee.program.length === 20 ? key : script] }
    case "scriptHash":
      return { script: Buffer.concat([sized(signature), sized(script)]), witness: [] }
    default:
      return { script: Buffer.concat([sized(signature), sized(key)]), witness: [] }
  }
}

/** A coinbase input spends nothing, and contains the height of its block. */
const coinbase = (height: number) => ({
  outpoint: Buffer.concat([Buffer.alloc(32), uint32(0xffffffff)]),
  script: sized(uint32(height)),
  witness: []
})

/**
 * A transaction with these inputs and outputs, in hexadecimal digits, and the hash by which it is known. Without inputs it
 * brings new coins in the block of that height.
 */
export const raw = (
  facts: UtxoFacts,
  height: number,
  inputs: ReadonlyArray<Input>,
  outputs: ReadonlyArray<RawSide>
): { readonly hash: string; readonly hex: string } => {
  const spent =
    inputs.length === 0
      ? [coinbase(height)]
      : inputs.map((input) => ({
          outpoint: Buffer.concat([Buffer.from(input.hash, "hex").reverse(), uint32(input.index)]),
          ...unlocking(facts, input)
        }))
  const body = Buffer.concat([
    listed(spent.map(({ outpoint, script }) => Buffer.concat([outpoint, sized(script), uint32(0xfffffffd)]))),
    listed(outputs.map(({ address, amount }) => Buffer.concat([uint64(amount), sized(locking(facts, address))])))
  ])
  const [version, lockTime] = [uint32(2), uint32(0)]
  const witnesses = spent.some(({ witness }) => witness.length > 0)
  const whole = witnesses ? [Buffer.of(0, 1), body, ...spent.map(({ witness }) => listed(witness.map(sized)))] : [body]
  return {
    hash: sha256(sha256(version, body, lockTime))
      .reverse()
      .toString("hex"),
    hex: Buffer.concat([version, ...whole, lockTime]).toString("hex")
  }
}
