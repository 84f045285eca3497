import { type LedgerIndex, ledgerIndex } from "../../../domain/units.ts"
import { ofAccount } from "../RippleAddress.ts"
import { objectIn } from "./binaryFields.ts"

// What a transaction says in its binary format.

const [uint16, uint32, amount, account] = [1, 2, 6, 8]

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
  /** The bytes of `Amount`, `Fee` and `SendMax`. */
  readonly amount?: Uint8Array
  readonly fee?: Uint8Array
  readonly most?: Uint8Array
  /** Whether it has `Paths`. */
  readonly hasPaths?: true
  /** Whether it has fields that payments do not have, or of a type that is not known, after which no field is read. */
  readonly hasOthers?: true
  /** Whether all fields have known types, unless `hasOthers`, in the order in which a node hashes them. */
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

/** The names of amounts, by their codes. */
const amounts: Readonly<Record<number, "amount" | "fee" | "most">> = { 1: "amount", 8: "fee", 9: "most" }

const lastLedger = 27

/** `Paths`, as `type.code`. */
const paths = "18.1"

/** Other fields of payments that move nothing: tags, hashes, keys, signatures, memos and credentials. */
const harmless = ["2.3", "5.9", "5.17", "5.34", "6.10", "7.3", "7.4", "15.3", "15.9", "19.5"]

/** The field of a type and code; none if it is not read. */
const fieldOf = (type: number, code: number, value: Uint8Array): SignedFields => {
  const number = type > uint32 ? 0 : value.reduce((sum, byte) => sum * 256 + byte, 0)
  if (type === uint32 && code === lastLedger) return { lastLedger: ledgerIndex(number) }
  const name = type === uint32 ? numbers[code] : undefined
  if (name !== undefined) return { [name]: number }
  if (type === uint16 && code === 2) return { type: number }
  const paid = type === amount ? amounts[code] : undefined
  if (paid !== undefined) return { [paid]: value }
  if (type !== account || value.length !== 20) return {}
  return code === 1 ? { sender: ofAccount(value) } : code === 3 ? { destination: ofAccount(value) } : {}
}

/** Reads the fields up to those that are cut off or not in order. */
export const signedFields = (bytes: Uint8Array): SignedFields => {
  const { ending, fields } = objectIn(bytes)
  let read: SignedFields = {}
  for (const { code, type, value } of fields) {
    const name = `${type}.${code}`
    const field = name === paths ? ({ hasPaths: true } as const) : fieldOf(type, code, value)
    const isOther = Object.keys(field).length === 0 && !harmless.includes(name)
    read = { ...read, ...field, ...(isOther ? { hasOthers: true } : {}) }
  }
  if (ending === "wrong") return read
  return { ...read, isRead: true, ...(ending === "unknown" ? { hasOthers: true } : {}) }
}
