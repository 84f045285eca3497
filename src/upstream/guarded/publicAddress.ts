import { BlockList, isIPv4, isIPv6 } from "node:net"

type Subnet = readonly [network: string, prefix: number]

/** IPv4 networks without public hosts (IANA IPv4 Special-Purpose Address Registry), and multicast and reserved ones. */
const specialIPv4: ReadonlyArray<Subnet> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

/** Parts of the global unicast network without public hosts (IANA IPv6 Special-Purpose Address Registry). */
const specialIPv6: ReadonlyArray<Subnet> = [
  // Protocol assignments, among them Teredo, which contains IPv4 addresses.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4, which contains IPv4 addresses.
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20]
]

const listOf = (subnets: ReadonlyArray<Subnet>, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

/** The only IPv6 network with public hosts. Mapped, translated and local addresses are outside of it. */
const globalUnicast = listOf([["2000::", 3]], "ipv6")
const excludedIPv4 = listOf(specialIPv4, "ipv4")
const excludedIPv6 = listOf(specialIPv6, "ipv6")

/** True for an address of a public host. False for every other text, and for IPv4 addresses in IPv6 form. */
export const isPublic = (address: string): boolean =>
  isIPv4(address)
    ? !excludedIPv4.check(address, "ipv4")
    : isIPv6(address) &&
      !address.includes("%") &&
      globalUnicast.check(address, "ipv6") &&
      !excludedIPv6.check(address, "ipv6")
