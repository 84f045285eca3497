import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"
import * as HeaderFields from "./HeaderFields.ts"

/** A response in one encoding, built once. */
export interface SentResponse {
  readonly status: number
  readonly fields: HeaderFields.HeaderFields
  readonly header: HeaderFields.HeaderTemplate
  /** Undefined for a response without a body. A Blob is sent without a copy; a Uint8Array would be copied each time. */
  readonly body: Blob | undefined
}

/** Header fields of a request that select what is sent. */
export interface ConditionalRequest {
  readonly encoding: Compression.Encoding | undefined
  readonly ifNoneMatch: string | undefined
}

/** A response in all its encodings. */
export interface EncodedResponse {
  /** Replaced by each equal response that is newer, for its `isCurrent`. */
  response: CachedResponse
  /** Returns the requested encoding; compresses the body if that encoding does not exist yet. */
  readonly send: (request: ConditionalRequest) => Effect.Effect<SentResponse>
  /** The same synchronously; undefined if the encoding does not exist yet and must be created asynchronously. */
  readonly sendSync: (request: ConditionalRequest) => SentResponse | undefined
}

/** ETag of the content only: the same after a restart and in other replicas. Weak, because all encodings share it. */
const tagOf = ({ body, headers }: CachedResponse) => {
  const hash = createHash("sha256").update(body)
  for (const [name, value] of Object.entries(headers)) hash.update(`\n${name}: ${value}`)
  return `W/"${hash.digest("base64url").slice(0, 22)}"`
}

const opaque = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** RFC 9110, 13.1.2: the comparison is weak, and `*` matches everything. A quoted hash is never part of another tag. */
const matches = (tag: string, given: string) => given === tag || given.trim() === "*" || given.includes(opaque(tag))

/** Header fields for caching by clients and proxies; no ETag if they must not cache the response. */
const validators = (response: CachedResponse, visibility: "public" | "private") => {
  const vary = Compression.varying(response.headers.vary, "accept-encoding")
  const { cacheControl = response.maxAge === undefined ? undefined : `${visibility}, max-age=${response.maxAge}` } =
    response
  if (cacheControl !== undefined) return { etag: tagOf(response), "cache-control": cacheControl, vary }
  return response.body.byteLength < Compression.minCompressedBytes ? {} : { vary }
}

const sentOf = (status: number, fields: HeaderFields.HeaderFields, body?: Uint8Array): SentResponse => ({
  status,
  fields,
  header: HeaderFields.template(fields),
  body: body && new Blob([body as Uint8Array<ArrayBuffer>])
})

export const make = (response: CachedResponse, visibility: "public" | "private"): EncodedResponse => {
  const { contentType = "application/json", status = 200 } = response
  const forms = Compression.forms(response.body)
  const shared: { readonly etag?: string; readonly vary?: string } = validators(response, visibility)
  const { etag } = shared
  const notModified = sentOf(304, shared)
  const full = new Map<Compression.Encoding | undefined, SentResponse>()

  /** Compresses small bodies synchronously, and bodies without `maxAge`, which are themselves built synchronously. */
  const isQuick = response.maxAge === undefined || response.body.byteLength <= Compression.maxSyncBytes

  const chosen = ({ encoding }: ConditionalRequest) =>
    response.body.byteLength < Compression.minCompressedBytes ? undefined : encoding
  const isUnchanged = ({ ifNoneMatch }: ConditionalRequest) =>
    etag !== undefined && ifNoneMatch !== undefined && matches(etag, ifNoneMatch)

  const sentAs = (encoding: Compression.Encoding | undefined, body: Uint8Array): SentResponse => {
    const before = full.get(encoding)
    if (before !== undefined) return before
    const fields = {
      ...response.headers,
      "content-type": contentType,
      "content-length": String(body.byteLength),
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
      ...shared
    }
    const sendSync = sentOf(status, fields, body)
    full.set(encoding, sendSync)
    return sendSync
  }

  return {
    response,
    send: (request) => {
      if (isUnchanged(request)) return Effect.succeed(notModified)
      const encoding = chosen(request)
      return Effect.map(forms.get(encoding), (body) => sentAs(encoding, body))
    },
    sendSync: (request) => {
      if (isUnchanged(request)) return notModified
      const encoding = chosen(request)
      const before = full.get(encoding)
      if (before !== undefined) return before
      const body = isQuick ? forms.now(encoding) : forms.made(encoding)
      return body === undefined ? undefined : sentAs(encoding, body)
    }
  }
}
