import { sha256 } from "@noble/hashes/sha2"
import * as Either from "effect/Either"
import type { Rules } from "../../../catalogue/utxo/UtxoFacts.ts"

// The serialization of Bitcoin's protocol, with BIP-144 (witnesses) and LIP-0002 (Litecoin's extension blocks).

/** Reads bytes in sequence. After the first problem, every read returns an empty value. */
interface Reader {
  readonly at: () => number
  readonly bytes: Buffer
  readonly left: () => number
  readonly problem: () => string | undefined
  readonly fail: (problem: string) => void
  /** `what` names the part in the message if the bytes end too early. */
  readonly skip: (count: number, what: string) => void
  readonly byte: (what: string) => number
  /** A signed integer of eight bytes, little-endian. */
  readonly amount: (what: string) => bigint
  /** A compact size, which must have its shortest encoding. */
  readonly size: (what: string) => number
  /** Reads a list whose length is a compact size, and returns the length. */
  readonly list: (what: string, readNext: () => void) => number
}

/** Nodes reject longer scripts and lists before they read them. */
const maxSize = 0x2000000

const reader = (bytes: Buffer): Reader => {
  let at = 0
  let problem: string | undefined

  const fail = (what: string) => {
    problem ??= what
  }

  const take = <A>(count: number, what: string, empty: A, read: (offset: number) => A): A => {
    if (problem !== undefined) return empty
    if (count > bytes.length - at) {
      fail(`it ends in the midst of ${what}`)
      return empty
    }
    at += count
    return read(at - count)
  }

  const skip = (count: number, what: string) => take(count, what, undefined, () => undefined)
  const byte = (what: string) => take(1, what, 0, (offset) => bytes.readUInt8(offset))

  const size = (what: string) => {
    const first = byte(what)
    if (first < 0xfd) return first
    const value =
      first === 0xfd
        ? take(2, what, 0, (offset) => bytes.readUInt16LE(offset))
        : first === 0xfe
          ? take(4, what, 0, (offset) => bytes.readUInt32LE(offset))
          : take(8, what, 0, (offset) => Number(bytes.readBigUInt64LE(offset)))
    const least = first === 0xfd ? 0xfd : first === 0xfe ? 0x10000 : 0x100000000
    if (value < least) fail(`${what} does not have its shortest encoding`)
    if (value > maxSize) fail(`${what} is larger than the maximum`)
    return problem === undefined ? value : 0
  }

  return {
    at: () => at,
    bytes,
    left: () => bytes.length - at,
    problem: () => problem,
    fail,
    skip,
    byte,
    size,
    amount: (what) => take(8, what, 0n, (offset) => bytes.readBigInt64LE(offset)),
    list: (what, readNext) => {
      const count = size(`the number of ${what}`)
      for (let index = 0; index < count && problem === undefined; index++) readNext()
      return problem === undefined ? count : 0
    }
  }
}

/** A parsed raw transaction. */
export interface ParsedTransaction {
  /** Lower-case hex. */
  readonly hex: string
  /** Its hash; undefined if all of it belongs to an extension block, where hashes are computed differently. */
  readonly hash: string | undefined
  /** The outputs that it spends, `hash:index`. */
  readonly inputs: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<bigint>
  /** The script of each output, in hex. */
  readonly scripts: ReadonlyArray<string>
  /** Weight units as defined by BIP-141. */
  readonly weight: number
  readonly extended: boolean
}

const witnessFlag = 1
const extensionFlag = 8

/**
 * 400,000 hexadecimal digits without witnesses, a fifth of a block. Nodes relay half of it (`MAX_STANDARD_TX_WEIGHT` of
 * Bitcoin Core); an operator's own node may take more.
 */
const maxWeight = 800_000

const tooLarge = `it has more than ${maxWeight} weight units; nodes relay half of that`

/** Two characters per byte, and each byte has a weight of at least 1. */
const maxLength = 2 * maxWeight

const inputs = (from: Reader) => {
  const spent: Array<string> = []
  from.list("inputs", () => {
    const at = from.at()
    from.skip(36, "an input")
    if (from.problem() === undefined)
      spent.push(
        `${Buffer.from(from.bytes.subarray(at, at + 32).toReversed()).toString("hex")}:${from.bytes.readUInt32LE(at + 32)}`
      )
    from.skip(from.size("the length of an input's script"), "an input's script")
    from.skip(4, "an input")
  })
  return from.problem() === undefined ? spent : []
}

const outputs = (from: Reader, hex: string) => {
  const amounts: Array<bigint> = []
  const scripts: Array<string> = []
  from.list("outputs", () => {
    amounts.push(from.amount("an output"))
    const size = from.size("the length of an output's script")
    const at = from.at()
    from.skip(size, "an output's script")
    scripts.push(hex.slice(2 * at, 2 * from.at()))
  })
  return { amounts, scripts }
}

/** Reads the witnesses; true if an input has any. */
const witnesses = (from: Reader, count: number) => {
  let any = false
  for (let input = 0; input < count && from.problem() === undefined; input++)
    if (from.list("witnesses", () => from.skip(from.size("the length of a witness"), "a witness")) > 0) any = true
  return any
}

/** Minimum bytes: every part that belongs to an extension block starts with two offsets. */
const leastExtension = 64

/** Reads the extension, and returns its number of bytes; only the node interprets them. */
const extension = (from: Reader, spends: boolean) => {
  const present = from.byte("its extension")
  if (present > 1) from.fail("its extension is malformed")
  if (present === 0 && !spends)
    from.fail("it is marked as part of an extension block, but has no outputs and no extension")
  if (present !== 1) return 1
  const length = from.left() - 4
  from.skip(Math.max(length, leastExtension), "its extension")
  return length + 1
}

const hashOf = (...parts: ReadonlyArray<Uint8Array>) =>
  Buffer.from(sha256(sha256(Buffer.concat(parts))).toReversed()).toString("hex")

/** Parses a raw transaction to its last byte. Left is the problem with its format. */
export const read = (
  { extension: extensible = false, witness }: Rules,
  hex: string
): Either.Either<ParsedTransaction, string> => {
  const bytes = Buffer.from(hex, "hex")
  const from = reader(bytes)
  from.skip(4, "its version")
  let begin = from.at()
  let spent = inputs(from)
  let flags = 0
  if (spent.length === 0 && !witness && !extensible) from.fail("it has no inputs")
  if (spent.length === 0 && from.problem() === undefined) {
    flags = from.byte("its flags")
    begin = from.at()
    if (flags !== 0) spent = inputs(from)
  }
  const { amounts, scripts } = outputs(from, hex)
  const end = from.at()
  if ((flags & witnessFlag) !== 0 && !witnesses(from, spent.length))
    from.fail("it is marked as having witnesses, but has none")
  const extended = extensible && (flags & extensionFlag) !== 0
  const extensionBytes = extended ? extension(from, amounts.length > 0) : 0
  if ((flags & ~(witnessFlag | (extensible ? extensionFlag : 0))) !== 0) from.fail("it has unknown flags")
  from.skip(4, "its lock time")
  if (from.left() > 0) from.fail(`it has ${from.left()} bytes after its end`)
  const problem = from.problem()
  if (problem !== undefined) return Either.left(problem)
  const body = bytes.subarray(begin, end)
  const extensionOnly = extended && spent.length === 0 && amounts.length === 0
  return Either.right({
    hex,
    hash: extensionOnly ? undefined : hashOf(bytes.subarray(0, 4), body, bytes.subarray(-4)),
    inputs: spent,
    amounts,
    scripts,
    weight: 3 * (8 + body.length) + bytes.length - extensionBytes,
    extended
  })
}

const problemOf = (
  { maxAmount: most }: Rules,
  name: string,
  { amounts, extended, inputs, weight }: ParsedTransaction
): string | undefined => {
  if (inputs.length === 0 && !extended) return "it has no inputs"
  if (amounts.length === 0 && !extended) return "it has no outputs"
  if (amounts.some((amount) => amount < 0n)) return "an output has a negative amount"
  if (amounts.reduce((all, amount) => all + amount, 0n) > most) return `it pays more ${name} than can exist`
  return weight > maxWeight ? tooLarge : undefined
}

const notHex = /[^0-9a-f]/i

/** Parses a text that a node could accept as a transaction; left is the problem. */
export const check =
  (rules: Rules, name: string) =>
  (text: string): Either.Either<ParsedTransaction, string> => {
    if (text.length > maxLength) return Either.left(tooLarge)
    const wrong = notHex.exec(text)
    if (wrong !== null) return Either.left(`it is not hexadecimal (character ${wrong.index + 1})`)
    if (text.length % 2 === 1) return Either.left("it has an odd number of hexadecimal digits")
    return Either.flatMap(read(rules, text.toLowerCase()), (raw) => {
      const problem = problemOf(rules, name, raw)
      return problem === undefined ? Either.right(raw) : Either.left(problem)
    })
  }

/** The hash of a transaction in lower case; left is the problem. */
export const checkHash = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toLowerCase())
    : Either.left("the hash of a transaction has 64 hexadecimal digits")
