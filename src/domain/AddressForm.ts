/** What a text is that stands for an account: one address, all addresses of a key, or a key itself. */
export const addressKinds = ["address", "xpub", "stake", "public-key"] as const
export type AddressKind = (typeof addressKinds)[number]

/** What a person should know about an address as it was written. */
export interface AddressForm {
  readonly kind: AddressKind
  /** For people: a whole sentence. */
  readonly note?: string
}

/** Of a spelling in which no checksum was checked. */
export const withoutChecksum = "This spelling has no checksum: a mistyped character would not be noticed."

export const plainAddress: AddressForm = { kind: "address" }
