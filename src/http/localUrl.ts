import { isIPv6 } from "node:net"

/** Hosts that mean all addresses of the machine, and the loopback address for calls from this machine. */
const any: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** URL of a server on this host and port for calls from this machine, without a trailing slash. */
export const localUrl = (host: string, port: number | string): string => {
  const name = any[host] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Like {@link localUrl}, for display: hosts that mean all addresses become `localhost`. */
export const localName = (host: string, port: number | string): string =>
  localUrl(Object.hasOwn(any, host) ? "localhost" : host, port)
