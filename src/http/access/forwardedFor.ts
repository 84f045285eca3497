import { ofLast } from "../../kernel/ofLast.ts"
import { addressOf } from "./clientAddress.ts"
import type { TrustedProxies } from "./TrustedProxies.ts"

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
