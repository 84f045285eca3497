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
