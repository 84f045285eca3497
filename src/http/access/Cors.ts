import type { HeaderFields } from "../response/HeaderFields.ts"

/** Header fields that pages of other origins may read. */
const exposed =
  "x-request-id, x-partial-failures, x-sandbox, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, etag"

/** Length limit: a longer list of requested header fields is not echoed, because pages do not send it. */
const maxRequested = 1000

/** `always` are fields of every response, regardless of the origin. */
export const make = (origins: ReadonlyArray<string>, always: HeaderFields = {}) => {
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
  /** Fields of a response to a page of this origin: the same object for the same origin. */
  const headers: (origin: string | undefined) => HeaderFields = origins.includes("*")
    ? () => any
    : (origin) => (origin === undefined ? undefined : listed.get(origin)) ?? none
  return {
    headers,
    /** Fields of a response to a preflight request. */
    preflight: (requestHeaders: Readonly<Record<string, string | undefined>>): HeaderFields => {
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
