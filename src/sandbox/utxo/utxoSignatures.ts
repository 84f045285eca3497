import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import { OutScript, RawTx, Script, Transaction } from "@scure/btc-signer"
import * as Option from "effect/Option"

// Signature checks of inputs: legacy sighash, BIP-143 (SegWit, and all of Bitcoin Cash) and BIP-341 (Taproot). Only
// single-key scripts are checked; other scripts are not executed.

type Parsed = ReturnType<typeof RawTx.decode>
export type ParsedOutput = Parsed["outputs"][number]

/** Parses a raw transaction; none for a transaction with an extension block. */
export const parse = Option.liftThrowable((hex: string): Parsed => RawTx.decode(Buffer.from(hex, "hex")))

/** Finds the output that an input spends; undefined if its transaction is unknown. */
export const outputOf = (
  { index, txid }: Parsed["inputs"][number],
  find: (hash: string) => string | undefined
): ParsedOutput | undefined =>
  Option.fromNullable(find(Buffer.from(txid).toString("hex"))).pipe(
    Option.flatMap(parse),
    Option.flatMapNullable(({ outputs }) => outputs[index]),
    Option.getOrUndefined
  )

const empty = new Uint8Array()
const [none, sameIndex, forkId, anyone] = [2, 3, 0x40, 0x80]
const blank = { amount: 2n ** 64n - 1n, script: empty }

/** Legacy sighash. Undefined for SIGHASH_SINGLE if there is no output at the input's index. */
const original = (transaction: Parsed, index: number, script: Uint8Array, type: number): Uint8Array | undefined => {
  const base = type & 0x1f
  const isOpen = base === none || base === sameIndex
  if (base === sameIndex && index >= transaction.outputs.length) return undefined
  const inputs = transaction.inputs
    .map((input, place) =>
      place === index
        ? { ...input, finalScriptSig: script }
        : { ...input, finalScriptSig: empty, ...(isOpen ? { sequence: 0 } : {}) }
    )
    .filter((_, place) => place === index || !(type & anyone))
  const paid = transaction.outputs.slice(0, base === none ? 0 : base === sameIndex ? index + 1 : undefined)
  const outputs = paid.map((output, place) => (base === sameIndex && place < index ? blank : output))
  const bytes = RawTx.encode({ ...transaction, segwitFlag: false, inputs, outputs })
  return sha256(sha256(Buffer.concat([bytes, Buffer.of(type, 0, 0, 0)])))
}

const isHashOf = (hash: Uint8Array, bytes: Uint8Array) => Buffer.from(ripemd160(sha256(bytes))).equals(hash)

const signed = (
  [signature = empty, key = empty, ...others]: ReadonlyArray<Uint8Array>,
  keyHash: Uint8Array,
  hash: (type: number) => Uint8Array | undefined
): boolean => {
  const message = hash(signature.at(-1) ?? 0)
  return (
    message !== undefined &&
    others.length === 0 &&
    isHashOf(keyHash, key) &&
    secp256k1.verify(signature.subarray(0, -1), message, key, { format: "der", lowS: false, prehash: false })
  )
}

/** A transaction in two formats, with the known outputs that its inputs spend. */
interface Spending {
  readonly isForked: boolean
  readonly spent: ReadonlyArray<ParsedOutput | undefined>
  readonly parsed: Parsed
  readonly transaction: Transaction
}

const isTaprootSigned = ({ spent, transaction }: Spending, index: number, key: Uint8Array, signature: Uint8Array) => {
  const type = signature[64] ?? 0
  if (signature.length === 65 && ![1, 2, 3, 0x81, 0x82, 0x83].includes(type)) return false
  if (!(type & anyone) && spent.includes(undefined)) return true
  const scripts = spent.map((output) => output?.script ?? empty)
  const amounts = spent.map((output) => output?.amount ?? 0n)
  const message = transaction.preimageWitnessV1(index, scripts, type, amounts)
  return signature.length <= 65 && schnorr.verify(signature.subarray(0, 64), message, key)
}

/** Whether an input has a valid signature of the output's owner. True for scripts other than single-key scripts. */
const isInputSigned = (spending: Spending, index: number): boolean => {
  const { isForked, parsed, spent, transaction } = spending
  const [output, input, witness = []] = [spent[index], parsed.inputs[index], parsed.witnesses?.[index]]
  if (output === undefined || input === undefined) return true
  const payee = OutScript.decode(output.script)
  const preimage = (script: Uint8Array) => (type: number) =>
    transaction.preimageWitnessV0(index, script, type, output.amount)
  const isWitnessed = (hash: Uint8Array) => signed(witness, hash, preimage(OutScript.encode({ type: "pkh", hash })))
  if (payee.type === "wpkh") return input.finalScriptSig.length === 0 && isWitnessed(payee.hash)
  if (payee.type === "tr")
    return witness.length !== 1 || isTaprootSigned(spending, index, payee.pubkey, witness[0] ?? empty)
  if (payee.type !== "pkh" && payee.type !== "sh") return true
  const pushes = Script.decode(input.finalScriptSig).map((push) => (push instanceof Uint8Array ? push : empty))
  if (payee.type === "pkh") {
    // Accepts Schnorr signatures of Bitcoin Cash, which are identified by their length, without a check.
    if (isForked && pushes[0]?.length === 65) return true
    return signed(pushes, payee.hash, (type) => {
      if (!isForked) return original(parsed, index, output.script, type)
      return type & forkId ? preimage(output.script)(type) : undefined
    })
  }
  const redeem = pushes.at(-1) ?? empty
  if (!isHashOf(payee.hash, redeem)) return false
  const inner = OutScript.decode(redeem)
  return inner.type !== "wpkh" || (pushes.length === 1 && isWitnessed(inner.hash))
}

const options = {
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  allowUnknownVersion: true,
  disableScriptCheck: true
}

/**
 * Whether all inputs have valid signatures of the owners of the spent outputs. Checks only known outputs that pay to a
 * single key.
 */
export const isSigned = (parsed: Parsed, find: (hash: string) => string | undefined, isForked: boolean): boolean => {
  const transaction = Transaction.fromRaw(RawTx.encode(parsed), options)
  const spending = { isForked, spent: parsed.inputs.map((input) => outputOf(input, find)), parsed, transaction }
  // An input that cannot be decoded counts as unsigned.
  const check = Option.liftThrowable((index: number) => isInputSigned(spending, index))
  return parsed.inputs.every((_, index) => Option.getOrElse(check(index), () => false))
}
