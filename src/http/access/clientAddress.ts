import { isIP } from "node:net"
import ipaddr from "ipaddr.js"
import { memoizeLast } from "../../kernel/memoizeLast.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

const parse = (text: string) => {
  const [bare = ""] = text.split("%", 1)
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare)
}

/** Normalizes an address: IPv4-mapped IPv6 becomes IPv4, IPv6 loses its zone; undefined if it is not an address. */
export const addressOf = (text: string): string | undefined => parse(text)?.toString()

/**
 * Network that belongs to one client: an IPv4 address, also in IPv6 form (`::ffff:192.0.2.1`), or the first 64 bits of
 * an IPv6 address, because a client has all addresses of that prefix. Undefined if the text is not an address.
 */
export const networkOf = (text: string): string | undefined => {
  const address = parse(text)
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(":")}::/64`
    : address?.toString()
}

/** How much of a client's address is shown. */
export const clientForms = ["full", "network", "none"] as const

/**
 * The client of a log line. Its network is the first 24 bits of an IPv4 address, or 48 of an IPv6 address, which many
 * clients share.
 */
export const shownClient = (form: (typeof clientForms)[number]) =>
  memoizeLast((text: string): string | undefined => {
    if (form !== "network") return form === "full" ? text : undefined
    const address = parse(text)
    if (address === undefined) return ""
    return address instanceof ipaddr.IPv6
      ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24`
  })

/** Longest item: an IPv6 address in brackets with a zone and a port. */
const maxForwarded = 100

/** Chains of proxies do not write more; anything before that came from a client. */
const maxHeader = 2_000

const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/
const withPort = /^([^:]*):\d{1,5}$/

/** Address of an item of `X-Forwarded-For`, which may have brackets and a port; undefined if it is not an address. */
const addressIn = (hop: string): string | undefined => {
  const text = hop.trim()
  if (text.length > maxForwarded) return undefined
  const inside = bracketed.exec(text)?.[1]
  if (inside !== undefined) return inside.includes(":") ? addressOf(inside) : undefined
  return addressOf(withPort.exec(text)?.[1] ?? text)
}

/** Normalized address of the peer of a socket; other texts stay unchanged. */
const spelled = memoizeLast((socket: string) => addressOf(socket) ?? socket)

/**
 * Address of the client: the peer of the socket or, if that is a trusted proxy, the address that trusted proxies wrote
 * into `X-Forwarded-For`, where the nearest proxy writes the last item. Ignores the items before the first item that no
 * trusted proxy can have written, and items that are not an address: clients can choose them freely.
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
