import type { HeaderFields } from "../response/HeaderFields.ts"

/** Header fields that pages of other origins may read. */
const exposed =
  "x-request-id, x-partial-failures, x-sandbox, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, etag"

export interface Cors {
  /** Fields of a response to a page of this origin: the same object for the same origin. */
  readonly headers: (origin: string | undefined) => HeaderFields
  /** Fields of a response to a preflight request. */
  readonly preflight: (headers: Readonly<Record<string, string | undefined>>) => HeaderFields
}

/** Length limit: a longer list of requested header fields is not echoed, because pages do not send it. */
const maxRequested = 1000

/** `always` are fields of every response, regardless of the origin. */
export const make = (origins: ReadonlyArray<string>, always: HeaderFields = {}): Cors => {
  const allowing = (origin: string) => ({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposed,
    ...always
  })
  const any: HeaderFields = allowing("*")
  const none: HeaderFields = { vary: "origin", ...always }
  const listed = new Map<string, HeaderFields>(
    origins.map((origin) => [origin, { ...allowing(origin), vary: "origin" }])
  )
  const headers: Cors["headers"] = origins.includes("*")
    ? () => any
    : (origin) => (origin === undefined ? undefined : listed.get(origin)) ?? none
  return {
    headers,
    preflight: (requestHeaders) => {
      const requested = requestHeaders["access-control-request-headers"]
      return {
        ...headers(requestHeaders.origin),
        "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
        "access-control-allow-headers":
          requested === undefined || requested.length > maxRequested
            ? "content-type, accept, x-api-key, x-request-id"
            : requested,
        "access-control-max-age": "86400"
      }
    }
  }
}
