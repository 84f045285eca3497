import { createHash } from "node:crypto"

/** An accepted key; only the hash of its text is known. */
export interface ApiKey {
  /** Shown in the log and the metrics. */
  readonly name: string
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly hash: string
  /** Requests per minute; 0 is no limit, undefined is RATE_LIMIT_PER_MINUTE. */
  readonly perMinute: number | undefined
  /** Requests per UTC day; 0 is no limit. */
  readonly perDay: number
  /** True if the key may use the route with this template. */
  readonly allows: (template: string) => boolean
}

/** A fast hash is as secure as a slow one, because keys are long and random. */
export const hashOf = (key: string) => createHash("sha256").update(key).digest("hex")

const everything = () => true

/** A key given as text, for all routes and with the default limits. */
export const plain = (key: string, name: string): ApiKey => ({
  name,
  hash: hashOf(key),
  perMinute: undefined,
  perDay: 0,
  allows: everything
})

/** Converts a route to the contract's template: `/utils/rpc/{network}` and `/utils/rpc/:network` are the same. */
const templateOf = (route: string) => route.replaceAll(/\{(\w+)\??\}/g, ":$1")

/** Matches the listed routes; an entry that ends with a star matches by prefix. Undefined matches all routes. */
export const routeMatcher = (routes: ReadonlyArray<string> | undefined): ApiKey["allows"] => {
  if (routes === undefined) return everything
  const templates = routes.map(templateOf)
  const exact = new Set(templates)
  const beginnings = templates.flatMap((template) => (template.endsWith("*") ? [template.slice(0, -1)] : []))
  return (template) => exact.has(template) || beginnings.some((beginning) => template.startsWith(beginning))
}
