import { varying } from "./Compression.ts"

/** Header fields, names in lower case. */
export type HeaderFields = Readonly<Record<string, string>>

/** Merges a response's own fields with the shared fields. Shared fields win; the values of `vary` are joined. */
export const merged = (own: HeaderFields, shared: HeaderFields): HeaderFields => ({
  ...own,
  ...shared,
  ...(own.vary === undefined ? {} : { vary: varying(shared.vary, own.vary) })
})

/** Builds the header of responses with fixed own fields, valid until the next call: a `Response` copies it. */
export type HeaderTemplate = (shared: HeaderFields, requestId: string) => Headers

/** Rebuilds the header only when the shared fields change; only the request id is new each time. */
export const template = (own: HeaderFields): HeaderTemplate => {
  let before: HeaderFields | undefined
  let headers = new Headers()
  return (shared, requestId) => {
    if (shared !== before) {
      before = shared
      headers = new Headers(merged(own, shared))
    }
    headers.set("x-request-id", requestId)
    return headers
  }
}
