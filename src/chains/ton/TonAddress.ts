import * as Either from "effect/Either"
import { ton } from "../../catalogue/ton.ts"
import { type AddressForm, plainAddress, withoutChecksum } from "../../domain/AddressForm.ts"
import type { PlatformFacts } from "../../providers/TokenRegistry.ts"

/** TEP-64: a jetton that does not declare decimals has nine. */
export const standardDecimals = 9

// TEP-2 (github.com/ton-blockchain/TEPs): the forms of a TON address and its checksum.

/** The first byte of the user-friendly form. */
const bounceable = 0x11
const nonBounceable = 0x51
const testOnly = 0x80

/** Workchain -1, the masterchain, in one byte. */
const masterchain = 0xff

/**
 * The raw form in lower case: `0:` or `-1:` and the 64 hexadecimal digits of the account. The user-friendly forms
 * (base64 or base64url, bounceable and non-bounceable) have a checksum, which must be correct.
 */
export const parse = (text: string): Either.Either<string, string> => {
  if (/^(-1|0):[0-9a-fA-F]{64}$/.test(text)) return Either.right(text.toLowerCase())
  if (!/^([\w-]{48}|[A-Za-z0-9+/]{48})$/.test(text))
    return Either.left("an address is 48 characters that begin with EQ, UQ, Ef or Uf, or 0: and 64 hexadecimal digits")
  const bytes = Buffer.from(text, "base64")
  const [kind = 0, workchain] = bytes
  if (checksum(bytes.subarray(0, 34)) !== bytes.readUInt16BE(34))
    return Either.left("the checksum of the address is wrong: a character may be mistyped")
  if (kind === (bounceable | testOnly) || kind === (nonBounceable | testOnly))
    return Either.left("this is an address of the test network")
  if ((kind !== bounceable && kind !== nonBounceable) || (workchain !== 0 && workchain !== masterchain))
    return Either.left("this kind of address is unknown")
  return Either.right(`${workchain === 0 ? 0 : -1}:${bytes.toString("hex", 2, 34)}`)
}

/** The form of an address as the client wrote it: only the user-friendly forms have a checksum. */
export const formOf = (text: string): AddressForm =>
  text.includes(":") ? { kind: "address", note: withoutChecksum } : plainAddress

/** The bounceable base64url form of a raw address: the shortest spelling for a query. */
export const friendly = (raw: string): string => {
  const [workchain, account = ""] = raw.split(":")
  const bytes = Buffer.from([bounceable, workchain === "0" ? 0 : masterchain, ...Buffer.from(account, "hex"), 0, 0])
  bytes.writeUInt16BE(checksum(bytes.subarray(0, 34)), 34)
  return bytes.toString("base64url")
}

/** CRC16-CCITT in the XMODEM variant. */
const checksum = (bytes: Uint8Array): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

/** How the token list of TON is built. */
export const tokens: PlatformFacts = {
  platform: ton.platform,
  canonical: (address) => Either.getRight(parse(address)),
  // Both indexers return the decimals that a jetton declares.
  unlisted: { decimals: standardDecimals },
  confirms: true
}
