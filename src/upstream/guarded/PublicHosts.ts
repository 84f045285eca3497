import { lookup } from "node:dns/promises"
import { BlockList, isIPv4, isIPv6 } from "node:net"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

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

/** How hosts are found and checked. Tests replace it. */
export interface HostAccess {
  /** All addresses of a host name. */
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  readonly isAllowed: (address: string) => boolean
  readonly port: number
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string
}

const live: HostAccess = {
  resolve: (host) => lookup(host, { all: true }).then((all) => all.map(({ address }) => address)),
  isAllowed: isPublic,
  port: 443
}

/** Maximum number of addresses of a host that are tried. */
const maxAddresses = 3

/**
 * Sends a GET by https to the host of the URL. Resolves the name once, requires that all its addresses are public, and
 * connects to one of these addresses, so that a second resolution cannot lead elsewhere. The certificate must be valid for
 * the name. Does not follow redirects, decompress, reuse connections or send cookies. The body is not read.
 */
export const over =
  ({ ca, isAllowed, port, resolve }: HostAccess) =>
  (
    request: HttpClientRequest.HttpClientRequest,
    { hostname, pathname, search }: URL,
    signal: AbortSignal
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
    const failure = (cause: unknown) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
    const connect = (address: string) =>
      Effect.tryPromise({
        try: () =>
          globalThis.fetch(`https://${isIPv6(address) ? `[${address}]` : address}:${port}${pathname}${search}`, {
            headers: { ...request.headers, host: hostname },
            redirect: "manual",
            decompress: false,
            keepalive: false,
            signal,
            tls: { serverName: hostname, ...(ca === undefined ? {} : { ca }) }
          }),
        catch: failure
      })
    return Effect.tryPromise({ try: () => resolve(hostname), catch: failure }).pipe(
      Effect.filterOrFail(
        (addresses): addresses is Arr.NonEmptyReadonlyArray<string> =>
          Arr.isNonEmptyReadonlyArray(addresses) && addresses.every(isAllowed),
        () => failure("not a public host")
      ),
      Effect.flatMap((addresses) => Effect.firstSuccessOf(Arr.map(Arr.take(addresses, maxAddresses), connect))),
      Effect.map((response) => HttpClientResponse.fromWeb(request, response))
    )
  }

export const get = over(live)
