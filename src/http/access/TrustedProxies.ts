import { BlockList, isIPv4, isIPv6 } from "node:net"
import * as Either from "effect/Either"

/** Which proxies may say whose requests they pass on. */
export interface TrustedProxies {
  /** Whether what the host with this address has written is believed; it is so many hops away, 0 at the other end of the socket. */
  readonly accepts: (address: string, hop: number) => boolean
  /** As the operator wrote it. */
  readonly text: string
}

/** Nobody is believed. */
export const none: TrustedProxies = { accepts: () => false, text: "false" }

const maxHops = 20

const hops = (count: number, text: string): TrustedProxies => ({ text, accepts: (_, hop) => hop < count })

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined)

/** Adds an address, or a network as `10.0.0.0/8`; false where it is neither. */
const add = (list: BlockList, item: string): boolean => {
  const [address = "", bits, ...rest] = item.split("/")
  const family = familyOf(address)
  if (family === undefined || rest.length > 0) return false
  if (bits === undefined) list.addAddress(address, family)
  else if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === "ipv4" ? 32 : 128)) return false
  else list.addSubnet(address, Number(bits), family)
  return true
}

export const allowed = `true or 1 (the nearest proxy), a number of proxies up to ${maxHops}, the addresses or networks of proxies such as 10.0.0.0/8,fd00::/8, or false`

/** From the text of TRUST_PROXY; left is what is wrong with it. */
export const parse = (text: string): Either.Either<TrustedProxies, string> => {
  const word = text.toLowerCase()
  if (word === "false" || word === "0") return Either.right(none)
  if (word === "true") return Either.right(hops(1, text))
  if (/^\d+$/.test(word))
    return Number(word) <= maxHops ? Either.right(hops(Number(word), text)) : Either.left(`"${text}" is not allowed`)
  const list = new BlockList()
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
  const wrong = items.find((item) => !add(list, item))
  if (wrong !== undefined || items.length === 0) return Either.left(`"${wrong ?? text}" is not allowed`)
  return Either.right({
    text,
    accepts: (address) => {
      const family = familyOf(address)
      return family !== undefined && list.check(address, family)
    }
  })
}
