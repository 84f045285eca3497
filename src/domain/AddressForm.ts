import * as Schema from "effect/Schema"
import { text, textOrNull } from "./fields.ts"

/** Kinds of account identifier: one address, all addresses of a key (`xpub`, `stake`), or a public key. */
export const addressKinds = ["address", "xpub", "stake", "public-key"] as const
export type AddressKind = (typeof addressKinds)[number]

/** The form in which a user wrote an address. */
export interface AddressForm {
  readonly kind: AddressKind
  /** A full sentence for the user. */
  readonly note?: string
  /** The canonical form of the account whose balances include those of the address, such as its stake address. */
  readonly account?: string
}

/** Note on a form of an address that has no checksum. */
export const withoutChecksum = "This spelling has no checksum: a mistyped character would not be noticed."

export const plainAddress: AddressForm = { kind: "address" }

const Delegate = Schema.Struct({
  address: text("The contract's address.", "0x63c0c19a282a1b52b07dd5a65b58948a07dae32b"),
  name: textOrNull(
    "The wallet whose contract it is; `sweeper` if it takes whatever the account gets, because its key is stolen; null for an unknown contract, which can move everything that the account has.",
    "MetaMask"
  )
}).annotations({ identifier: "Delegate", description: "A contract that an account has delegated to (EIP-7702)." })
export type Delegate = typeof Delegate.Type

/** The contract that an account has delegated to, or null. */
export const DelegatedTo = Schema.NullOr(Delegate).annotations({
  description:
    "The contract that the account has delegated to (EIP-7702). It takes part in every call to the account, and nodes accept a single pending transaction of the account, with the next nonce. Null for an account without one; absent if it could not be read.",
  examples: [null]
})
