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

const isMapped = (groups: ReadonlyArray<number>) =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff

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
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".")
}

/** The longest form: an IPv6 address in brackets with a zone and a port. */
const maxForwarded = 100

const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/
const withPort = /^([^:]*):\d{1,5}$/

/**
 * The network of the last address in `X-Forwarded-For`, which the nearest proxy has written; those before it are what
 * clients say of themselves. It may be in brackets and have a port. Undefined where it is no address.
 */
export const forwarded = (header: string): string | undefined => {
  const last = header.slice(header.lastIndexOf(",") + 1).trim()
  if (last.length > maxForwarded) return undefined
  const inside = bracketed.exec(last)?.[1]
  if (inside !== undefined) return inside.includes(":") ? networkOf(inside) : undefined
  return networkOf(withPort.exec(last)?.[1] ?? last)
}
