import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"

export { isZero, parse } from "../../domain/evmAddress.ts"

/** The form in which an address is written: digits in a single case have no checksum (EIP-55). */
export const formOf = (text: string): AddressForm => {
  const digits = text.slice(2)
  const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return hasNoChecksum ? { kind: "address", note: withoutChecksum } : plainAddress
}
