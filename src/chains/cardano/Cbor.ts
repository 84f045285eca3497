// CBOR (RFC 8949), reduced to finding the boundaries of items. Values are not decoded.

/** Major types. */
export const [unsigned, negative, byteString, textString, array, map, tag, other] = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** The count of a string, an array or a map of indefinite length. */
export const indefinite = -1

/** Deeper than any transaction nests. The decoder does not recurse; this bounds its memory. */
const deepest = 4_096

interface CborHead {
  readonly major: number
  /** The length, count or value in the head; inexact above 2^53. */
  readonly value: number
  /** The offset of the content. */
  readonly end: number
}

/** The head of an item; undefined if it is missing or malformed. */
export const head = (bytes: Uint8Array, at: number): CborHead | undefined => {
  const first = bytes[at]
  if (first === undefined) return undefined
  const [major, short] = [first >> 5, first & 31]
  if (short < 24) return { major, value: short, end: at + 1 }
  if (short === 31) return isOpen(major) ? { major, value: indefinite, end: at + 1 } : undefined
  const size = [1, 2, 4, 8][short - 24]
  if (size === undefined || at + 1 + size > bytes.length) return undefined
  const value = bytes.subarray(at + 1, at + 1 + size).reduce((sum, byte) => sum * 256 + byte, 0)
  // Simple values have a single form.
  return major === other && short === 24 && value < 32 ? undefined : { major, value, end: at + 1 + size }
}

/** Numbers and tags have no indefinite length. */
const isOpen = (major: number) => major !== unsigned && major !== negative && major !== tag

/** An enclosing item that is not complete. */
interface Frame {
  /** Remaining items; infinite for indefinite length. */
  left: number
  /** Chunks of a string must be strings of its kind. */
  readonly pieces?: number
  /** For a map of indefinite length: whether the value of the last key is missing. */
  odd?: boolean
}

/** The end of the item at this offset; undefined if it is missing or malformed. */
export const endOf = (bytes: Uint8Array, start: number): number | undefined => {
  const open: Array<Frame> = []
  let at = start
  do {
    const item = head(bytes, at)
    const around = open.at(-1)
    if (item === undefined) return undefined
    at = item.end
    if (item.major === other && item.value === indefinite) {
      if (around === undefined || around.left !== Number.POSITIVE_INFINITY || around.odd === true) return undefined
      open.pop()
    } else {
      if (around?.pieces !== undefined && (item.major !== around.pieces || item.value === indefinite)) return undefined
      if (around !== undefined) around.left -= 1
      if (around?.odd !== undefined) around.odd = !around.odd
      const isString = item.major === byteString || item.major === textString
      if (isString && item.value !== indefinite) at += item.value
      else {
        const inside = frame(item)
        if (inside !== undefined) open.push(inside)
      }
      if (at > bytes.length || open.length > deepest) return undefined
    }
    while (open.at(-1)?.left === 0) open.pop()
  } while (open.length > 0)
  return at
}

/** The container that an item opens; undefined if the item ends with its head. */
const frame = ({ major, value }: CborHead): Frame | undefined => {
  const left = value === indefinite ? Number.POSITIVE_INFINITY : value
  switch (major) {
    case byteString:
    case textString:
      return { left, pieces: major }
    case array:
      return { left }
    case map:
      return value === indefinite ? { left, odd: false } : { left: 2 * left }
    case tag:
      return { left: 1 }
    default:
      return undefined
  }
}
