import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"

export { isZero, parse } from "../../domain/evmAddress.ts"

/** What an address is as it was written: digits in one case have no checksum (EIP-55). */
export const formOf = (text: string): AddressForm => {
  const digits = text.slice(2)
  const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return hasNoChecksum ? { kind: "address", note: withoutChecksum } : plainAddress
}
