import { isIPv4, isIPv6 } from "node:net"

const groupsOf = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)))

/** The eight numbers of 16 bits that an IPv6 address is, the last two of them perhaps written as IPv4. */
const expanded = (address: string): ReadonlyArray<number> => {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(":")
  )
  const [before = "", after] = hex.split("::")
  const [left, right] = [groupsOf(before), groupsOf(after ?? "")]
  return after === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
}

/** The IPv4 address in the last two groups. */
const mapped = (groups: ReadonlyArray<number>) =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".")

const isMapped = (groups: ReadonlyArray<number>) =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff

/** An address in one spelling: IPv4 as it is, also where it is written as IPv6, and IPv6 without a zone; undefined for anything else. */
export const addressOf = (text: string): string | undefined => {
  if (isIPv4(text)) return text
  const [bare = ""] = text.split("%", 1)
  if (!isIPv6(bare)) return undefined
  const groups = expanded(bare)
  return isMapped(groups) ? mapped(groups) : bare.toLowerCase()
}

/**
 * The network that an address belongs to as far as it is one client's: an IPv4 address as it is, also one that is written as
 * IPv6 (`::ffff:192.0.2.1`), and the first 64 bits of an IPv6 address, for a client has all addresses below them. Undefined
 * for what is no address.
 */
export const networkOf = (address: string): string | undefined => {
  if (isIPv4(address)) return address
  const [bare = ""] = address.split("%", 1)
  if (!isIPv6(bare)) return undefined
  const groups = expanded(bare)
  if (!isMapped(groups))
    return `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(":")}::/64`
  return mapped(groups)
}
