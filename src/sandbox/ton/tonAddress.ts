import * as Either from "effect/Either"
import * as TonAddress from "../../chains/ton/TonAddress.ts"

const testOnly = 0x80

/** The raw form of an address in any spelling, test network included; undefined if it is invalid. */
export const raw = (text: unknown): string | undefined => {
  const known = Either.getOrUndefined(TonAddress.parse(String(text)))
  if (known !== undefined || !/^[\w+/-]{48}$/.test(String(text))) return known
  const bytes = Buffer.from(String(text), "base64")
  const tag = bytes[0] ?? 0
  const account = `${bytes[1] === 0xff ? -1 : 0}:${bytes.toString("hex", 2, 34)}`
  return (tag & testOnly) !== 0 && spelled(account, (tag & 0x40) === 0, true) === bytes.toString("base64url")
    ? account
    : undefined
}

/** A user-friendly form of a raw address, base64url. */
export const spelled = (account: string, bounceable: boolean, forTests = false): string => {
  const bytes = Buffer.from(TonAddress.friendly(account), "base64url")
  bytes[0] = (bounceable ? 0x11 : 0x51) | (forTests ? testOnly : 0)
  bytes.writeUInt16BE(checksum(bytes.subarray(0, 34)), 34)
  return bytes.toString("base64url")
}

/** CRC16-CCITT in the XMODEM variant. */
const checksum = (bytes: Uint8Array): number =>
  bytes.reduce((before, byte) => {
    let crc = before ^ (byte << 8)
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
    return crc
  }, 0)
