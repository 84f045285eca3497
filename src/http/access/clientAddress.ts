import { isIPv4, isIPv6 } from "node:net"
import { ofLast } from "../../kernel/ofLast.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

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
export const networkOf = (text: string): string | undefined => {
  const address = addressOf(text)
  if (address === undefined || isIPv4(address)) return address
  const groups = expanded(address).slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

/** The longest form: an IPv6 address in brackets with a zone and a port. */
const maxForwarded = 100

/** No chain of proxies writes more; what is before that came from a client. */
const maxHeader = 2_000

const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/
const withPort = /^([^:]*):\d{1,5}$/

/** One item of `X-Forwarded-For`, which may be in brackets and have a port. Undefined where it is no address. */
const addressIn = (item: string): string | undefined => {
  const text = item.trim()
  if (text.length > maxForwarded) return undefined
  const inside = bracketed.exec(text)?.[1]
  if (inside !== undefined) return inside.includes(":") ? addressOf(inside) : undefined
  return addressOf(withPort.exec(text)?.[1] ?? text)
}

/** The other end of a socket in one spelling, or as it is where it is none of an address. */
const spelled = ofLast((socket: string) => addressOf(socket) ?? socket)

/**
 * The address of the client: that at the other end of the socket, or where it is a trusted proxy the one that the proxies have
 * written into `X-Forwarded-For`, whose last item is of the nearest of them. What is before the first item that no trusted
 * proxy can have written is what clients say of themselves, and so is an item that is no address.
 */
export const clientOf = (trusted: TrustedProxies, header: string | undefined, socket: string): string => {
  const nearest = spelled(socket)
  if (header === undefined || !trusted.accepts(nearest, 0)) return nearest
  let client = nearest
  for (const [hop, item] of header.slice(-maxHeader).split(",").reverse().entries()) {
    const address = addressIn(item)
    if (address === undefined) return client
    client = address
    if (!trusted.accepts(address, hop + 1)) return client
  }
  return client
}
