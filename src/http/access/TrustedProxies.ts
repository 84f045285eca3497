import { BlockList, isIPv4, isIPv6 } from "node:net"
import * as Either from "effect/Either"

/** Proxies whose X-Forwarded-For header is trusted. */
export interface TrustedProxies {
  /** True if the header from the host at this address is trusted. `hop` is its distance: 0 is the socket's peer. */
  readonly accepts: (address: string, hop: number) => boolean
  /** The setting as written by the operator. */
  readonly text: string
}

/** Trusts no proxy. */
export const none: TrustedProxies = { accepts: () => false, text: "false" }

const maxHops = 20

const hops = (count: number, text: string): TrustedProxies => ({ text, accepts: (_, hop) => hop < count })

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined)

/** Adds an address, or a network such as `10.0.0.0/8`; returns false for other texts. */
const add = (list: BlockList, range: string): boolean => {
  const [address = "", bits, ...rest] = range.split("/")
  const family = familyOf(address)
  if (family === undefined || rest.length > 0) return false
  if (bits === undefined) list.addAddress(address, family)
  else if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === "ipv4" ? 32 : 128)) return false
  else list.addSubnet(address, Number(bits), family)
  return true
}

export const allowed = `true or 1 (the nearest proxy), a number of proxies up to ${maxHops}, the addresses or networks of proxies such as 10.0.0.0/8,fd00::/8, or false`

/** Parses TRUST_PROXY; left is the problem. */
export const parse = (text: string): Either.Either<TrustedProxies, string> => {
  const word = text.toLowerCase()
  if (word === "false" || word === "0") return Either.right(none)
  if (word === "true") return Either.right(hops(1, text))
  if (/^\d+$/.test(word))
    return Number(word) <= maxHops ? Either.right(hops(Number(word), text)) : Either.left(`"${text}" is not allowed`)
  const list = new BlockList()
  const items = text
    .split(",")
    .map((range) => range.trim())
    .filter((range) => range !== "")
  const wrong = items.find((range) => !add(list, range))
  if (wrong !== undefined || items.length === 0) return Either.left(`"${wrong ?? text}" is not allowed`)
  return Either.right({
    text,
    accepts: (address) => {
      const family = familyOf(address)
      return family !== undefined && list.check(address, family)
    }
  })
}
