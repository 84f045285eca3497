/** Number of slots of a Redis Cluster. */
export const slotCount = 16_384

/** The remainders of CRC-16 (XMODEM) of each byte. */
const remainders = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 0x8000) === 0 ? remainder << 1 : (remainder << 1) ^ 0x1021
  return remainder
})

const encoder = new TextEncoder()

/** CRC-16 (XMODEM) of a text in UTF-8. */
export const checksum = (text: string): number => {
  let sum = 0
  for (const byte of encoder.encode(text)) sum = ((sum << 8) & 0xffff) ^ (remainders[(sum >> 8) ^ byte] ?? 0)
  return sum
}

/** What of a key decides its slot: the text in its first braces, unless that is empty. */
const hashed = (key: string): string => {
  const open = key.indexOf("{")
  const close = open === -1 ? -1 : key.indexOf("}", open)
  return close > open + 1 ? key.slice(open + 1, close) : key
}

/** The slot of a key in a Redis Cluster. Commands and scripts may name keys of one slot only. */
export const slotOf = (key: string): number => checksum(hashed(key)) % slotCount
