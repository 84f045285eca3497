import { type LedgerIndex, ledgerIndex } from "../../domain/units.ts"
import { ofAccount } from "./RippleAddress.ts"

// Fields of a transaction in the binary format (xrpl.org/docs/references/protocol/binary-format): a header of the type
// and the code, then the value; in the order of types and codes.

const [uint32, account] = [2, 8]

/** Bytes of values of types with one size: 16, 32 and 64 bits, and hashes of 128 and 256 bits. */
const sizes: Readonly<Record<number, number>> = { 1: 2, [uint32]: 4, 3: 8, 4: 16, 5: 32 }

const [amount, blob] = [6, 7]

/** XRP; a token with its currency and issuer; a multi-purpose token. */
const amountBytes = (first: number): number => ((first & 0x80) !== 0 ? 48 : (first & 0x20) !== 0 ? 33 : 8)

/** The length of a value, and the bytes of that length. */
const lengthOf = ([first = 0, second = 0, third = 0]: Uint8Array): readonly [length: number, bytes: number] => {
  if (first <= 192) return [first, 1]
  return first <= 240
    ? [193 + (first - 193) * 256 + second, 2]
    : [12_481 + (first - 241) * 65_536 + second * 256 + third, 3]
}

/** What a signed transaction says about its place in the ledger. A field is absent if its bytes do not have it. */
export interface SignedFields {
  readonly sender?: string
  /** Zero if it uses a ticket. */
  readonly sequence?: number
  readonly lastLedger?: LedgerIndex
}

/** Reads the fields up to the sender, the first account. */
export const signedFields = (bytes: Uint8Array): SignedFields => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let fields: SignedFields = {}
  for (let at = 0; at < bytes.length; ) {
    const header = bytes[at++] ?? 0
    const type = header >> 4 || (bytes[at++] ?? 0)
    const code = header & 15 || (bytes[at++] ?? 0)
    const isSized = type === blob || type === account
    const [length, prefix] = isSized ? lengthOf(bytes.subarray(at)) : [sizes[type], 0]
    const size = type === amount ? amountBytes(bytes[at] ?? 0) : length
    const end = at + prefix + (size ?? Number.NaN)
    if (!(end <= bytes.length)) return fields
    if (type === uint32 && code === 4) fields = { ...fields, sequence: view.getUint32(at) }
    if (type === uint32 && code === 27) fields = { ...fields, lastLedger: ledgerIndex(view.getUint32(at)) }
    if (type === account)
      return size === 20 && code === 1 ? { ...fields, sender: ofAccount(bytes.subarray(at + 1, end)) } : fields
    at = end
  }
  return fields
}
