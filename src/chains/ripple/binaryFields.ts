import * as Either from "effect/Either"

// The fields of the XRP Ledger's binary format (xrpl.org/docs/references/protocol/binary-format): what ends where. What a
// field means is left to the node, so that transactions of later amendments pass.

/** A field of an object. */
export interface BinaryField {
  /** Its type and its code, as in `8.1`. */
  readonly key: string
  /** Where it begins, with its header, and ends. */
  readonly start: number
  readonly end: number
  /** Its content, without header and length. */
  readonly value: Uint8Array
}

/** Bytes of the types of one length, by the number of the type. */
const lengths: Readonly<Record<number, number>> = {
  1: 2, // UInt16
  2: 4, // UInt32
  3: 8, // UInt64
  4: 16, // Hash128
  5: 32, // Hash256
  9: 12, // Number
  10: 4, // Int32
  11: 8, // Int64
  16: 1, // UInt8
  17: 20, // Hash160
  20: 12, // UInt96
  21: 24, // Hash192
  22: 48, // UInt384
  23: 64, // UInt512
  26: 20 // Currency
}

/** Blob, AccountID and Vector256 have their length before them. */
const prefixed = [7, 8, 19]

const [amountType, objectType, arrayType, pathsType, issueType, bridgeType] = [6, 14, 15, 18, 24, 25]

/** rippled allows as many levels of objects and lists. */
const maxDepth = 10

/** What is read stops at the first problem; every problem is a text for people. */
class BinaryReader {
  at = 0
  problem: string | undefined
  private readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get isDone() {
    return this.problem !== undefined || this.at >= this.bytes.length
  }

  fail(problem: string) {
    this.problem ??= problem
  }

  byte(): number {
    const value = this.bytes[this.at]
    if (value === undefined) this.fail("it ends in the midst of a field")
    this.at++
    return value ?? 0
  }

  skip(count: number) {
    this.at += count
    if (this.at > this.bytes.length) this.fail("it ends in the midst of a field")
  }

  peek(offset = 0): number {
    return this.bytes[this.at + offset] ?? 0
  }

  isZero(count: number): boolean {
    return this.bytes.subarray(this.at, this.at + count).every((byte) => byte === 0)
  }

  slice(start: number): Uint8Array {
    return this.bytes.subarray(start, this.at)
  }
}

/** One to three bytes. */
const lengthOf = (from: BinaryReader): number => {
  const first = from.byte()
  if (first <= 192) return first
  if (first <= 240) return 193 + (first - 193) * 256 + from.byte()
  if (first === 255) from.fail("it has a length that the format does not have")
  return 12_481 + (first - 241) * 65_536 + from.byte() * 256 + from.byte()
}

const header = (from: BinaryReader): readonly [type: number, code: number] => {
  const first = from.byte()
  const type = first >> 4 === 0 ? from.byte() : first >> 4
  const code = (first & 15) === 0 ? from.byte() : first & 15
  if ((first >> 4 === 0 && type < 16) || ((first & 15) === 0 && code < 16))
    from.fail("it has a field whose number is written longer than it has to be")
  return [type, code]
}

/** A currency; all but XRP has an issuer; behind that of a multi-purpose token is its sequence. */
const issue = (from: BinaryReader) => {
  const isNative = from.isZero(20)
  from.skip(20)
  if (isNative) return
  const isMpt = from.isZero(19) && from.peek(19) === 1
  from.skip(isMpt ? 24 : 20)
}

/** Steps of an account, a currency and an issuer, by the flags before each; 255 between two paths, 0 at the end. */
const paths = (from: BinaryReader) => {
  for (let flags = from.byte(); flags !== 0 && !from.isDone; flags = from.byte())
    if (flags !== 255) from.skip([1, 16, 32].filter((flag) => (flags & flag) !== 0).length * 20)
}

const account = (from: BinaryReader) => from.skip(lengthOf(from))

/** Where the content of a field begins, once it is passed. */
const content = (from: BinaryReader, type: number, depth: number): number => {
  const start = from.at
  const length = lengths[type]
  if (length !== undefined) from.skip(length)
  else if (prefixed.includes(type)) {
    const size = lengthOf(from)
    const begins = from.at
    from.skip(size)
    return begins
  } else if (type === amountType) from.skip(from.peek() >= 128 ? 48 : (from.peek() & 32) !== 0 ? 33 : 8)
  else if (type === objectType || type === arrayType) nested(from, type, depth + 1)
  else if (type === pathsType) paths(from)
  else if (type === issueType) issue(from)
  else if (type === bridgeType) for (const part of [account, issue, account, issue]) part(from)
  else from.fail(`it has a field of a type that the ledger does not have (${type})`)
  return start
}

/** Until the marker of its end: type 14 or 15 with code 1. */
const nested = (from: BinaryReader, outer: number, depth: number) => {
  if (depth > maxDepth) from.fail("its objects are nested too deeply")
  while (from.problem === undefined) {
    const [type, code] = header(from)
    if (type === outer && code === 1) return
    if (outer === arrayType && type !== objectType) from.fail("it has a list of something other than objects")
    content(from, type, depth)
  }
}

/** The outermost fields; left is what is wrong with the bytes, for people. */
export const readFields = (bytes: Uint8Array): Either.Either<ReadonlyArray<BinaryField>, string> => {
  const from = new BinaryReader(bytes)
  const fields: Array<BinaryField> = []
  let last = 0
  while (!from.isDone) {
    const start = from.at
    const [type, code] = header(from)
    const place = type * 256 + code
    if (place <= last) from.fail("its fields are not in the order of the format, or one comes twice")
    last = place
    const begins = content(from, type, 0)
    fields.push({ key: `${type}.${code}`, start, end: from.at, value: from.slice(begins) })
  }
  return from.problem === undefined ? Either.right(fields) : Either.left(from.problem)
}
