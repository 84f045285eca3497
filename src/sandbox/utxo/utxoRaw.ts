import { sha256 } from "@noble/hashes/sha2"
import { RawTx } from "@scure/btc-signer"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { lockingScript } from "../../chains/utxo/UtxoAddress.ts"

/** An output, or a spent output. Without an address and a key it is a data output. */
export interface RawSide {
  readonly address?: string
  readonly amount: bigint
  /** Public key that the script contains, and the address of its hash. */
  readonly key?: { readonly hex: string; readonly address: string }
}

/** A spent output with its outpoint: transaction hash and output index. */
export interface Input extends RawSide {
  readonly hash: string
  readonly index: number
}

/** OP_RETURN script with a word. */
const data = Buffer.of(0x6a, 7, ...Buffer.from("sandbox"))

/** Locking script of an address; without an address, a data script. */
export const locking = (facts: UtxoFacts, address: string | undefined): Buffer => {
  if (address === undefined) return data
  const payee = Either.getOrThrowWith(UtxoAddress.decode(facts, address), (problem) => new RangeError(problem))
  if (payee.kind === "extended") throw new RangeError("an extended key has no locking script")
  return lockingScript(payee)
}

/** Script that pays a public key. */
const keyScript = (key: string): string => `${(key.length / 2).toString(16)}${key}ac`

const scriptOf = (facts: UtxoFacts, { address, key }: RawSide) =>
  key === undefined ? locking(facts, address) : Buffer.from(keyScript(key.hex), "hex")

/** The script of an output in hexadecimal digits. */
export const scriptHex = (facts: UtxoFacts, side: RawSide): string => scriptOf(facts, side).toString("hex")

/** Coinbase input, which contains the block height. */
const coinbase = (height: number) => {
  const script = Buffer.alloc(5, 4)
  script.writeUInt32LE(height, 1)
  return { txid: Buffer.alloc(32), index: 0xffffffff, finalScriptSig: script, sequence: 0xfffffffd }
}

/**
 * Encodes an unsigned transaction with these inputs and outputs; returns it in hexadecimal digits with its hash.
 * Without inputs, it is the coinbase transaction of the block at this height.
 */
export const raw = (
  facts: UtxoFacts,
  height: number,
  inputs: ReadonlyArray<Input>,
  outputs: ReadonlyArray<RawSide>
): { readonly hash: string; readonly hex: string } => {
  const spent = inputs.map(({ hash, index }) => ({
    txid: Buffer.from(hash, "hex"),
    index,
    finalScriptSig: Buffer.alloc(0),
    sequence: 0xfffffffd
  }))
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: false,
    inputs: spent.length === 0 ? [coinbase(height)] : spent,
    outputs: outputs.map((output) => ({ amount: output.amount, script: scriptOf(facts, output) })),
    lockTime: 0
  })
  return {
    hash: Buffer.from(sha256(sha256(bytes)))
      .reverse()
      .toString("hex"),
    hex: Buffer.from(bytes).toString("hex")
  }
}
