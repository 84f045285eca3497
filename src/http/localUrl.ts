import { isIPv6 } from "node:net"

/** Hosts that stand for every address of the machine, and the one of them at which this machine calls itself. */
const any: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** How what listens on this host and port is called from this machine; without a slash at the end. */
export const localUrl = (host: string, port: number | string): string => {
  const name = any[host] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** The same for people. */
export const localName = (host: string, port: number | string): string =>
  localUrl(Object.hasOwn(any, host) ? "localhost" : host, port)
