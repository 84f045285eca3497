import { varying } from "./Compression.ts"

/** Header fields, names in lower case. */
export type HeaderFields = Readonly<Record<string, string>>

/** The fields of a response with those that all responses share; the shared ones win, and `vary` is joined. */
export const merged = (own: HeaderFields, shared: HeaderFields): HeaderFields => ({
  ...own,
  ...shared,
  ...(own.vary === undefined ? {} : { vary: varying(shared.vary, own.vary) })
})

/** The header of responses whose own fields never change. The result holds until the next call: a `Response` copies it. */
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
