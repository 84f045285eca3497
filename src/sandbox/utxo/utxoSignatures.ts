import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import { bytesToHex, recoverPublicKey } from "viem/utils"

// Which signatures an input needs, and what they commit to: the original form, BIP-143 (witnesses, and all of Bitcoin Cash)
// and BIP-341 (Taproot). Scripts other than those of a single key are not executed.

// Signatures on the curve of Bitcoin and the XRP Ledger.

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`)

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const

/** An integer of DER: as short as it can be, with a zero before a highest bit. */
const integer = (value: bigint) => {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
  const signed = (bytes[0] ?? 0) > 0x7f ? [0, ...bytes] : bytes
  return Buffer.of(2, signed.length, ...signed)
}

/** r and s of a signature in DER; undefined where it is not written as BIP-66 has it. */
const fromDer = (der: Uint8Array) => {
  const rLength = der[3] ?? 0
  const [r, s] = [number(der.subarray(4, 4 + rLength)), number(der.subarray(6 + rLength))]
  const numbers = Buffer.concat([integer(r), integer(s)])
  return Buffer.of(0x30, numbers.length, ...numbers).equals(der) ? { r, s } : undefined
}

/** The point that a signature of a hash, with this parity of its own point, belongs to: 04, x and y. */
const recovered = (hash: Uint8Array, r: bigint, s: bigint, yParity: number) =>
  Effect.tryPromise(() => recoverPublicKey({ hash: bytesToHex(hash), signature: { r: word(r), s: word(s), yParity } }))

const compressed = (point: string) => `0${2 + (Number.parseInt(point.slice(-1), 16) & 1)}${point.slice(4, 68)}`

/** Whether the owner of a public key, of 33 or 65 bytes, signed a hash (ECDSA, in DER). */
const isSignedBy = (publicKey: Uint8Array, hash: Uint8Array, der: Uint8Array): Effect.Effect<boolean> => {
  const signature = fromDer(der)
  if (signature === undefined) return Effect.succeed(false)
  const own = Buffer.from(publicKey).toString("hex")
  const fits = (yParity: number) =>
    Effect.match(recovered(hash, signature.r, signature.s, yParity), {
      onFailure: () => false,
      onSuccess: (point) => compressed(point) === own || point === `0x${own}`
    })
  return Effect.zipWith(fits(0), fits(1), (even, odd) => even || odd)
}

/** A hash that is told apart by its purpose (BIP-340). */
const tagged = (tag: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const prefix = sha256(Buffer.from(tag))
  return sha256(Buffer.concat([prefix, prefix, ...parts]))
}

/**
 * Whether the owner of the key with this x signed a message (BIP-340). The point s·G - e·P is what ECDSA recovers from the
 * signature (x, -e·x) of -s·x.
 */
const isSchnorrSignedBy = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const [x, s] = [number(key), number(signature.subarray(32))]
  if (signature.length !== 64 || s >= order) return Effect.succeed(false)
  const rx = signature.subarray(0, 32)
  const e = number(tagged("BIP0340/challenge", rx, key, message)) % order
  const negative = (value: bigint) => (order - ((value * x) % order)) % order
  return Effect.match(recovered(Buffer.from(word(negative(s)).slice(2), "hex"), x, negative(e), 0), {
    onFailure: () => false,
    onSuccess: (point) => compressed(point) === `02${Buffer.from(rx).toString("hex")}`
  })
}

interface Spend {
  readonly outpoint: Buffer
  readonly script: Buffer
  readonly sequence: Buffer
  readonly witness: ReadonlyArray<Buffer>
}

interface Parsed {
  readonly version: Buffer
  readonly inputs: ReadonlyArray<Spend>
  /** As they are written: amount, length and script. */
  readonly outputs: ReadonlyArray<Buffer>
  readonly lockTime: Buffer
}

/** The parts of a transaction whose form is valid. */
export const parse = (hex: string): Parsed => {
  const bytes = Buffer.from(hex, "hex")
  let at = 4
  const take = (count: number) => {
    at += count
    return bytes.subarray(at - count, at)
  }
  const size = () => {
    const [first = 0] = take(1)
    if (first < 0xfd) return first
    return first === 0xfd
      ? take(2).readUInt16LE()
      : first === 0xfe
        ? take(4).readUInt32LE()
        : Number(take(8).readBigUInt64LE())
  }
  const list = <A>(count: number, next: () => A) => Array.from({ length: count }, next)
  const marked = bytes[at] === 0
  const flags = marked ? (take(2)[1] ?? 0) : 0
  const inputs = list(size(), () => ({ outpoint: take(36), script: take(size()), sequence: take(4) }))
  const outputs = list(size(), () => {
    const start = at
    take(8)
    take(size())
    return bytes.subarray(start, at)
  })
  const witness = inputs.map(() => ((flags & 1) === 1 ? list(size(), () => take(size())) : []))
  return {
    version: bytes.subarray(0, 4),
    inputs: inputs.map((input, index) => ({ ...input, witness: witness[index] ?? [] })),
    outputs,
    lockTime: bytes.subarray(-4)
  }
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const double = (...parts: ReadonlyArray<Uint8Array>) => sha256(sha256(Buffer.concat(parts)))
const single = (parts: ReadonlyArray<Uint8Array>) => sha256(Buffer.concat(parts))
const keyHash = (key: Uint8Array) => Buffer.from(ripemd160(sha256(key)))

const compact = (value: number) => (value < 0xfd ? Buffer.of(value) : Buffer.of(0xfd, value & 0xff, value >> 8))
const sized = (bytes: Uint8Array) => Buffer.concat([compact(bytes.length), bytes])

const amountOf = (output: Buffer) => output.subarray(0, 8)
/** The scripts of outputs that are looked at have a length of one byte. */
const scriptOf = (output: Buffer) => output.subarray(9)

const [none, sameIndex, forkId, anyone] = [2, 3, 0x40, 0x80]
const empty = Buffer.alloc(32)

/** What a signature is about; undefined where nothing can be, as there is no output at the place of the input. */
type Hash = (type: number) => Uint8Array | undefined

const original =
  ({ inputs, lockTime, outputs, version }: Parsed, index: number, script: Buffer): Hash =>
  (type) => {
    const base = type & 0x1f
    const isOpen = base === none || base === sameIndex
    if (base === sameIndex && index >= outputs.length) return undefined
    const spent = inputs.flatMap(({ outpoint, sequence }, place) => {
      if (place === index) return [Buffer.concat([outpoint, sized(script), sequence])]
      return type & anyone ? [] : [Buffer.concat([outpoint, Buffer.of(0), isOpen ? uint32(0) : sequence])]
    })
    const blank = Buffer.concat([Buffer.alloc(8, 0xff), Buffer.of(0)])
    const paid =
      base === none
        ? []
        : base === sameIndex
          ? outputs.slice(0, index + 1).map((output, place) => (place === index ? output : blank))
          : outputs
    return double(version, compact(spent.length), ...spent, compact(paid.length), ...paid, lockTime, uint32(type))
  }

const withAmount =
  ({ inputs, lockTime, outputs, version }: Parsed, index: number, script: Buffer, amount: Buffer): Hash =>
  (type) => {
    const base = type & 0x1f
    const isOpen = base === none || base === sameIndex
    const { outpoint = empty, sequence = empty } = inputs[index] ?? {}
    const own = outputs[index]
    return double(
      version,
      type & anyone ? empty : double(...inputs.map((input) => input.outpoint)),
      type & anyone || isOpen ? empty : double(...inputs.map((input) => input.sequence)),
      outpoint,
      sized(script),
      amount,
      sequence,
      base === sameIndex && own !== undefined ? double(own) : isOpen ? empty : double(...outputs),
      lockTime,
      uint32(type)
    )
  }

const taproot =
  ({ inputs, lockTime, outputs, version }: Parsed, index: number, spent: ReadonlyArray<Buffer>): Hash =>
  (type) => {
    const base = type & 3
    const { outpoint = empty, sequence = empty } = inputs[index] ?? {}
    const own = spent[index] ?? empty
    const paid = outputs[index]
    if (base === sameIndex && paid === undefined) return undefined
    return tagged(
      "TapSighash",
      Buffer.of(0, type),
      version,
      lockTime,
      ...(type & anyone
        ? []
        : [
            single(inputs.map((input) => input.outpoint)),
            single(spent.map(amountOf)),
            single(spent.map((output) => output.subarray(8))),
            single(inputs.map((input) => input.sequence))
          ]),
      ...(base === none || base === sameIndex ? [] : [single(outputs)]),
      Buffer.of(0),
      ...(type & anyone ? [outpoint, own, sequence] : [uint32(index)]),
      ...(base === sameIndex && paid !== undefined ? [sha256(paid)] : [])
    )
  }

/** The items that a script pushes; undefined where it does anything else. */
const pushesOf = (script: Buffer): ReadonlyArray<Buffer> | undefined => {
  const items: Array<Buffer> = []
  for (let at = 0; at < script.length; ) {
    const [code = 0, length = 0] = script.subarray(at)
    if (code > 0x4c) return undefined
    const [start, count] = code === 0x4c ? [at + 2, length] : [at + 1, code]
    items.push(script.subarray(start, start + count))
    at = start + count
  }
  return items
}

const refused = Effect.succeed(false)
/** What other scripts demand is not known. */
const unknown = Effect.succeed(true)

const signed = ([signature, key, ...others]: ReadonlyArray<Buffer>, payee: Buffer, hash: Hash) => {
  if (signature === undefined || key === undefined || others.length > 0 || !keyHash(key).equals(payee)) return refused
  const message = hash(signature.at(-1) ?? 0)
  return message === undefined ? refused : isSignedBy(key, message, signature.subarray(0, -1))
}

const payToKeyHash = (hash: Buffer) => Buffer.concat([Buffer.of(0x76, 0xa9, 0x14), hash, Buffer.of(0x88, 0xac)])

/** Whether one input is signed by the owner of its output; true also where its script is not one of a single key. */
const isInputSigned = (
  {
    isForked,
    spent,
    transaction
  }: { isForked: boolean; spent: ReadonlyArray<Buffer | undefined>; transaction: Parsed },
  index: number
): Effect.Effect<boolean> => {
  const [output, input] = [spent[index], transaction.inputs[index]]
  if (output === undefined || input === undefined) return unknown
  const script = scriptOf(output)
  const hex = script.toString("hex")
  const pushes = pushesOf(input.script)
  const witnessed = (program: Buffer, isBare: boolean) =>
    isBare
      ? signed(input.witness, program, withAmount(transaction, index, payToKeyHash(program), amountOf(output)))
      : refused
  if (/^76a914.{40}88ac$/.test(hex)) {
    // Bitcoin Cash has Schnorr signatures too, of a length of their own.
    if (pushes === undefined) return refused
    if (isForked && pushes[0]?.length === 65) return unknown
    const hash = isForked
      ? withAmount(transaction, index, script, amountOf(output))
      : original(transaction, index, script)
    return signed(pushes, script.subarray(3, 23), (type) => (isForked && !(type & forkId) ? undefined : hash(type)))
  }
  if (/^0014.{40}$/.test(hex)) return witnessed(script.subarray(2), input.script.length === 0)
  if (/^a914.{40}87$/.test(hex)) {
    const redeem = pushes?.at(-1)
    if (redeem === undefined || !keyHash(redeem).equals(script.subarray(2, 22))) return refused
    return /^0014.{40}$/.test(redeem.toString("hex")) ? witnessed(redeem.subarray(2), pushes?.length === 1) : unknown
  }
  if (/^5120.{64}$/.test(hex) && input.witness.length === 1) {
    const [signature = empty] = input.witness
    const type = signature[64] ?? 0
    const others = spent.filter((each) => each !== undefined)
    if (signature.length === 65 && ![1, 2, 3, 0x81, 0x82, 0x83].includes(type)) return refused
    if (!(type & anyone) && others.length < spent.length) return unknown
    const message = taproot(
      transaction,
      index,
      spent.map((each) => each ?? empty)
    )(type)
    return message === undefined || signature.length > 65
      ? refused
      : isSchnorrSignedBy(script.subarray(2), message, signature.subarray(0, 64))
  }
  return unknown
}

/**
 * Whether all inputs of a transaction are signed by the owners of the outputs that they spend, as far as the transactions
 * with those outputs are known and pay a single key.
 */
export const isSigned = (
  hex: string,
  find: (hash: string) => string | undefined,
  isForked: boolean
): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const transaction = parse(hex)
    const spent = transaction.inputs.map(({ outpoint }) => {
      const before = find(Buffer.from(outpoint.subarray(0, 32).toReversed()).toString("hex"))
      return before === undefined ? undefined : parse(before).outputs[outpoint.readUInt32LE(32)]
    })
    return Effect.map(
      Effect.forEach(transaction.inputs, (_, index) => isInputSigned({ isForked, spent, transaction }, index)),
      (all) => all.every((each) => each)
    )
  })
