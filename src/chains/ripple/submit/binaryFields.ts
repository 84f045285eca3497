// The binary format of the ledger (xrpl.org/docs/references/protocol/binary-format): fields of a header with the type
// and the code, then the value. A node sorts the fields of each object before it hashes them, so that only bytes in the
// order of types and codes are those that it means.

/** A field of an object. */
export interface BinaryField {
  readonly type: number
  readonly code: number
  /** Without its length. */
  readonly value: Uint8Array
}

/** The fields of an object. */
export interface BinaryObject {
  readonly fields: ReadonlyArray<BinaryField>
  readonly size: number
  /** `unknown` if a type after `fields` is not known; `wrong` if the bytes after them are cut off or no sorted fields. */
  readonly ending: "whole" | "unknown" | "wrong"
}

/** Types of a length and a value. */
const [blob, account, hashes] = [7, 8, 19]

const [amount, object, array, paths, issue, bridge] = [6, 14, 15, 18, 24, 25]

/** Bytes of values of types with one size. */
const sizes: Readonly<Record<number, number>> = {
  1: 2,
  2: 4,
  3: 8,
  4: 16,
  5: 32,
  9: 12,
  10: 4,
  11: 8,
  16: 1,
  17: 20,
  20: 12,
  21: 24,
  22: 48,
  23: 64,
  26: 20
}

/** More than any bytes have. */
const wrong = Number.POSITIVE_INFINITY

/** Objects and lists inside each other. */
const maxDepth = 10

const [objectEnd, arrayEnd] = [0xe1, 0xf1]

/** XRP; a token with its currency and issuer; a multi-purpose token, whose first byte has its sign and nothing else. */
const amountBytes = (first: number): number => {
  if ((first & 0x80) !== 0) return 48
  if ((first & 0x20) === 0) return 8
  return [0x20, 0x60].includes(first) ? 33 : wrong
}

/** The length of a value, and the bytes of that length. */
const lengthOf = ([first = 0, second = 0, third = 0]: Uint8Array): readonly [length: number, bytes: number] => {
  if (first <= 192) return [first, 1]
  if (first <= 240) return [193 + (first - 193) * 256 + second, 2]
  return first === 255 ? [wrong, 1] : [12_481 + (first - 241) * 65_536 + second * 256 + third, 3]
}

/** Type and code; each of 16 and more is a byte after the first. */
const headerOf = ([first = 0, ...more]: Uint8Array) => {
  const longs = more.values()
  const part = (short: number) => {
    if (short > 0) return short
    const long = longs.next().value ?? 0
    return long < 16 ? wrong : long
  }
  const [type, code] = [part(first >> 4), part(first & 15)]
  return { type, code, size: 1 + Number(first >> 4 === 0) + Number((first & 15) === 0) }
}

/** Steps of an account, a currency and an issuer. A byte of 255 ends a path, zero the last one. */
const pathsSize = (bytes: Uint8Array): number | undefined => {
  let isEmpty = true
  for (let at = 0; at < bytes.length; ) {
    const step = bytes[at++] ?? 0
    const isEnd = step === 0 || step === 255
    if (isEnd && isEmpty) return wrong
    if (step === 0) return at
    if (!isEnd && (step & ~0x31) !== 0) return undefined
    if (!isEnd) at += 20 * ((step & 1) + ((step >> 4) & 1) + ((step >> 5) & 1))
    isEmpty = isEnd
  }
  return wrong
}

/** The end of the hexadecimal digits of a multi-purpose token, in the place of an issuer. */
const noAccount = /^0{39}1$/

/** A currency, and its issuer unless it is XRP; or an issuer, a mark and a sequence. */
const issueSize = (bytes: Uint8Array): number => {
  if (bytes.subarray(0, 20).every((byte) => byte === 0)) return 20
  return noAccount.test(Buffer.from(bytes.subarray(20, 40)).toString("hex")) ? 44 : 40
}

/** The account with its length, and the issue of each side. */
const bridgeSize = (bytes: Uint8Array): number => {
  const first = 21 + issueSize(bytes.subarray(21))
  return first + 21 + issueSize(bytes.subarray(first + 21))
}

const objectSize = (bytes: Uint8Array, depth: number): number | undefined => {
  const { ending, size } = objectIn(bytes, depth)
  return ending === "whole" ? size : ending === "wrong" ? wrong : undefined
}

const arraySize = (bytes: Uint8Array, depth: number): number | undefined => {
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === arrayEnd) return at + 1
    const header = headerOf(bytes.subarray(at, at + 3))
    if (header.type !== object || bytes[at] === objectEnd) return wrong
    const size = objectSize(bytes.subarray(at + header.size), depth + 1)
    if (size === undefined) return undefined
    at += header.size + size
  }
  return wrong
}

/** Bytes of a value, after those of its length; undefined if its type is not known. */
const sizeOf = (type: number, bytes: Uint8Array, depth: number): number | undefined => {
  if (type === amount) return amountBytes(bytes[0] ?? 0)
  if (type === object) return objectSize(bytes, depth + 1)
  if (type === array) return arraySize(bytes, depth + 1)
  if (type === paths) return pathsSize(bytes)
  if (type === issue) return issueSize(bytes)
  return type === bridge ? bridgeSize(bytes) : sizes[type]
}

/** Reads the fields of an object: of a transaction, or at a depth the fields up to the end of an inner object. */
export const objectIn = (bytes: Uint8Array, depth = 0): BinaryObject => {
  const fields: Array<BinaryField> = []
  let at = 0
  let last = 0
  const ended = (ending: BinaryObject["ending"]): BinaryObject => ({ fields, size: at, ending })
  if (depth > maxDepth) return ended("wrong")
  while (at < bytes.length) {
    if (depth > 0 && bytes[at] === objectEnd) return { fields, size: at + 1, ending: "whole" }
    const { code, size: header, type } = headerOf(bytes.subarray(at, at + 3))
    const place = type * 256 + code
    const isEnd = bytes[at] === objectEnd || bytes[at] === arrayEnd
    if (isEnd || !(place > last && place < wrong)) return ended("wrong")
    const rest = bytes.subarray(at + header)
    const [length, prefix] = [blob, account, hashes].includes(type) ? lengthOf(rest) : [sizeOf(type, rest, depth), 0]
    if (length === undefined) return ended("unknown")
    if (prefix + length > rest.length) return ended("wrong")
    fields.push({ type, code, value: rest.subarray(prefix, prefix + length) })
    last = place
    at += header + prefix + length
  }
  return ended(depth === 0 ? "whole" : "wrong")
}
