import * as Effect from "effect/Effect"
import { type Environment, SettingError, Settings } from "./Settings.ts"

// Variables that the runtime reads itself, and only from the environment (github.com/oven-sh/bun/issues/39352).

/** The variables with the proxy for addresses of each scheme; the first that is set counts. */
const proxyVariables = {
  http: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  https: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
}

const rejectsCertificates = "NODE_TLS_REJECT_UNAUTHORIZED"

/** Hides the values of a `.env` file, which the runtime does not read. */
export const notInFile: Environment = Object.fromEntries(
  [...Object.values(proxyVariables).flat(), rejectsCertificates].map((name) => [name, undefined])
)

/** Hosts that are called directly: a proxy cannot reach them, or reaches other machines under these addresses. */
const localHosts = [
  "localhost",
  "0.0.0.0",
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10"
]

/** NO_PROXY with the local hosts, under both names: the lower one takes precedence unless it is empty. */
export const exceptLocalHosts = ({ NO_PROXY = "", no_proxy = "" }: Environment): Environment => {
  const hosts = (no_proxy || NO_PROXY).split(",").map((host) => host.trim())
  const list = [...new Set([...hosts, ...localHosts])].filter((host) => host !== "").join(",")
  return { NO_PROXY: list, no_proxy: list }
}

/** The host of a proxy, without user and password; undefined if the runtime cannot use this address. */
const hostOf = (address: string): string | undefined => {
  const url = /[\s"']/.test(address) ? null : URL.parse(address.includes("://") ? address : `http://${address}`)
  return url !== null && ["http:", "https:"].includes(url.protocol) ? url.host : undefined
}

/** For each scheme with a proxy, a line that names it without credentials. Fails if the runtime cannot use the proxy. */
export const proxies = Effect.flatMap(Settings, ({ runtime }) =>
  Effect.forEach(Object.entries(proxyVariables), ([scheme, names]) => {
    const variable = names.find((name) => runtime(name) !== "")
    if (variable === undefined) return Effect.succeed([])
    const host = hostOf(runtime(variable))
    return host === undefined
      ? new SettingError({ variable, problem: "is not the http:// or https:// address of a proxy" })
      : Effect.succeed([
          `${scheme}:// addresses are called through the proxy ${host} (${variable}), except local ones and those of NO_PROXY`
        ])
  })
).pipe(Effect.map((lines) => lines.flat()))

/** Warnings about variables that weaken the service. */
export const warnings = Effect.map(Settings, ({ runtime }) =>
  runtime(rejectsCertificates) === "0"
    ? [
        `${rejectsCertificates} is 0: certificates are not checked, so keys and responses of upstreams can be read and changed on their way; for a private authority, set NODE_EXTRA_CA_CERTS to its file instead`
      ]
    : []
)
