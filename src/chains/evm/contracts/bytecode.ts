// Reads what deployed code is able to do. Code can hide its functions; it shows those of ordinary compilers.

/** Code in hex digits, and what its instructions have. */
export interface CodeFacts {
  /** Selectors with which the code compares that of a call. */
  readonly functions: ReadonlySet<string>
  /** Whether it can run the code of another contract, as its own or by a call that forwards. */
  readonly delegates: boolean
  /** Whether it can remove itself, and on some networks be replaced then. */
  readonly destroys: boolean
}

/** Longer code is not read, bytes: twice the limit of EIP-170, which some networks raised. */
const maxBytes = 49_152

const push1 = 0x60
const push3 = 0x62
const push4 = 0x63
const push32 = 0x7f
/** Instructions that compare: LT, GT, EQ, XOR, SUB. */
const comparing = [0x10, 0x11, 0x14, 0x18, 0x03]
const equal = 0x14
/** DUP1 to DUP16, between a selector and its comparison. */
const isDuplicate = (instruction: number | undefined) => instruction !== undefined && (instruction & 0xf0) === 0x80
/** CALL, CALLCODE, DELEGATECALL. */
const delegating = [0xf1, 0xf2, 0xf4]
const selfDestruct = 0xff
const jumpDestination = 0x5b

/** None of it is read from longer code, and undefined for no code. */
export const codeFacts = (code: string): CodeFacts | undefined => {
  const bytes = bytesOf(code)
  if (bytes.length === 0 || bytes.length > maxBytes) return undefined
  const functions = new Set<string>()
  let delegates = false
  let destroys = false
  for (let at = 0; at < bytes.length; at++) {
    const instruction = bytes[at] ?? 0
    if (delegating.includes(instruction)) delegates = true
    if (instruction === selfDestruct) destroys = true
    if (instruction < push1 || instruction > push32) continue
    const end = at + instruction - push1 + 2
    if (instruction === push4) {
      const next = isDuplicate(bytes[end]) ? bytes[end + 1] : bytes[end]
      if (next !== undefined && comparing.includes(next)) functions.add(hexOf(bytes.subarray(at + 1, end)))
    }
    // A selector that starts with a zero is shorter. Other constants of three bytes are hardly ever compared.
    if (instruction === push3 && (bytes[end] === equal || (isDuplicate(bytes[end]) && bytes[end + 1] === equal)))
      functions.add(`0x00${hexOf(bytes.subarray(at + 1, end)).slice(2)}`)
    at = end - 1
  }
  return { functions, delegates, destroys }
}

const hexOf = (bytes: Uint8Array) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** The bytes without the metadata that compilers append: a map of CBOR, and its length in two bytes. */
const bytesOf = (code: string): Uint8Array => {
  const digits = code.slice(2, 2 + 2 * (maxBytes + 1))
  const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16)
  )
  const start = bytes.length - 2 - 256 * (bytes.at(-2) ?? 0) - (bytes.at(-1) ?? 0)
  const tail = bytes.subarray(Math.max(start, 0))
  // Code in it could be reached only by a jump to its destination. A hash that has such a byte is read as code.
  const isMetadata = start > 0 && ((tail[0] ?? 0) & 0xf0) === 0xa0 && !tail.includes(jumpDestination)
  return isMetadata ? bytes.subarray(0, start) : bytes
}

/** The contract of a minimal proxy (EIP-1167), whose code can never change; undefined for other code. */
export const minimalProxyTarget = (code: string): string | undefined => {
  const [, digits] = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/i.exec(code) ?? []
  return digits && `0x${digits.toLowerCase()}`
}
