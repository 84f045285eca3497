import { type LedgerIndex, ledgerIndex } from "../../domain/units.ts"
import { ofAccount } from "./RippleAddress.ts"

// Fields of a transaction in the binary format (xrpl.org/docs/references/protocol/binary-format): a header of the type
// and the code, then the value; in the order of types and codes.

const [uint16, uint32, account] = [1, 2, 8]

/** Bytes of values of types with one size: 16, 32 and 64 bits, and hashes of 128 and 256 bits. */
const sizes: Readonly<Record<number, number>> = { [uint16]: 2, [uint32]: 4, 3: 8, 4: 16, 5: 32 }

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
  readonly ticket?: number
  readonly lastLedger?: LedgerIndex
  /** Value of `TransactionType`: 0 for a payment. */
  readonly type?: number
  /** The network that it is signed for; absent for the main network. */
  readonly network?: number
  readonly flags?: number
  readonly tag?: number
  readonly destination?: string
  /** The bytes of `Amount` and of `Fee`. */
  readonly amount?: Uint8Array
  readonly fee?: Uint8Array
  /** Whether all fields up to the accounts could be read. */
  readonly isRead?: true
}

/** The names of fields of 32 bits, by their codes. */
const numbers: Readonly<Record<number, "network" | "flags" | "sequence" | "tag" | "ticket">> = {
  1: "network",
  2: "flags",
  4: "sequence",
  14: "tag",
  41: "ticket"
}

const lastLedger = 27

/** The field of a type and code; none if it is not read. */
const fieldOf = (type: number, code: number, value: Uint8Array): SignedFields => {
  const number = type > uint32 ? 0 : value.reduce((sum, byte) => sum * 256 + byte, 0)
  if (type === uint32 && code === lastLedger) return { lastLedger: ledgerIndex(number) }
  const name = type === uint32 ? numbers[code] : undefined
  if (name !== undefined) return { [name]: number }
  if (type === uint16 && code === 2) return { type: number }
  if (type === amount) return code === 1 ? { amount: value } : code === 8 ? { fee: value } : {}
  if (type !== account || value.length !== 20) return {}
  return code === 1 ? { sender: ofAccount(value) } : code === 3 ? { destination: ofAccount(value) } : {}
}

/** Reads the fields up to the accounts, before which there are no lists. */
export const signedFields = (bytes: Uint8Array): SignedFields => {
  let fields: SignedFields = {}
  for (let at = 0; at < bytes.length; ) {
    const header = bytes[at++] ?? 0
    const type = header >> 4 || (bytes[at++] ?? 0)
    const code = header & 15 || (bytes[at++] ?? 0)
    if (type > account) break
    const isSized = type === blob || type === account
    const [length, prefix] = isSized ? lengthOf(bytes.subarray(at)) : [sizes[type], 0]
    const size = type === amount ? amountBytes(bytes[at] ?? 0) : length
    const end = at + prefix + (size ?? Number.NaN)
    if (!(end <= bytes.length)) return fields
    fields = { ...fields, ...fieldOf(type, code, bytes.subarray(at + prefix, end)) }
    at = end
  }
  return { ...fields, isRead: true }
}
