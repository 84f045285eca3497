import { createHash } from "node:crypto"

/** A key that is accepted, as far as it is known: its text is not. */
export interface ApiKey {
  /** In the log and the metrics. */
  readonly name: string
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly hash: string
  /** Requests a minute, 0 for any number; undefined: as many as RATE_LIMIT_PER_MINUTE says. */
  readonly perMinute: number | undefined
  /** Requests in a day of UTC, 0 for any number. */
  readonly perDay: number
  /** Whether it may use the route with this template. */
  readonly allows: (template: string) => boolean
}

/** Keys are long and random, so that a fast hash of them is as good as a slow one. */
export const hashOf = (key: string) => createHash("sha256").update(key).digest("hex")

const everything = () => true

/** A key that was given as it is. */
export const plain = (key: string, name: string): ApiKey => ({
  name,
  hash: hashOf(key),
  perMinute: undefined,
  perDay: 0,
  allows: everything
})

/** The template of the contract for a route as people write it: `/utils/rpc/{network}` and `/utils/rpc/:network` are the same. */
const templateOf = (route: string) => route.replaceAll(/\{(\w+)\??\}/g, ":$1")

/** A route, or all routes that begin with what is before a star. */
export const routeMatcher = (routes: ReadonlyArray<string> | undefined): ApiKey["allows"] => {
  if (routes === undefined) return everything
  const templates = routes.map(templateOf)
  const exact = new Set(templates)
  const beginnings = templates.flatMap((template) => (template.endsWith("*") ? [template.slice(0, -1)] : []))
  return (template) => exact.has(template) || beginnings.some((beginning) => template.startsWith(beginning))
}
