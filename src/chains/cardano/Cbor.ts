// CBOR (RFC 8949), as far as it takes to find where items begin and end. No value of an item is looked at.

/** Major types. */
export const [unsigned, negative, byteString, textString, array, map, tag, other] = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** The count of a string, an array or a map that goes on until a break. */
export const indefinite = -1

/** Deeper than any transaction nests; nothing here calls itself, so this only bounds what is remembered. */
const deepest = 4_096

interface CborHead {
  readonly major: number
  /** What the head says of the length or the count, or a value; above 2^53 not exact. */
  readonly value: number
  /** Where what follows begins. */
  readonly end: number
}

/** The head of an item; undefined where there is none. */
export const head = (bytes: Uint8Array, at: number): CborHead | undefined => {
  const first = bytes[at]
  if (first === undefined) return undefined
  const [major, short] = [first >> 5, first & 31]
  if (short < 24) return { major, value: short, end: at + 1 }
  if (short === 31) return isOpen(major) ? { major, value: indefinite, end: at + 1 } : undefined
  const size = [1, 2, 4, 8][short - 24]
  if (size === undefined || at + 1 + size > bytes.length) return undefined
  const value = bytes.subarray(at + 1, at + 1 + size).reduce((sum, byte) => sum * 256 + byte, 0)
  // Simple values have one form each.
  return major === other && short === 24 && value < 32 ? undefined : { major, value, end: at + 1 + size }
}

/** Numbers and tags have no end to wait for. */
const isOpen = (major: number) => major !== unsigned && major !== negative && major !== tag

/** What is open around an item. */
interface Frame {
  /** Items still to come; without end where a break ends it. */
  left: number
  /** Pieces of one string must be strings of its kind. */
  readonly pieces?: number
  /** Of a map that a break ends: whether a key still lacks its value. */
  odd?: boolean
}

/** Where the well-formed item that begins here ends; undefined where none does. */
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

/** What an item opens; undefined where it ends with its head. */
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
