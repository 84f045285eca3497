import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"
import * as HotResponse from "./HotResponse.ts"

/** What is sent: the same object for the same request, for as long as its response is cached. */
export interface SentResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where nothing follows the header. */
  readonly body: Uint8Array<ArrayBuffer> | undefined
}

/** The header fields of a request that decide what is sent. */
export interface ConditionalRequest {
  readonly encoding: Compression.Encoding | undefined
  readonly ifNoneMatch: string | undefined
}

/** A response in all its encodings. */
export interface EncodedResponse {
  readonly response: CachedResponse
  /** Makes the requested encoding, once for all. */
  readonly send: (request: ConditionalRequest) => Effect.Effect<SentResponse>
  /** The same at once; undefined where the requested encoding is not made yet. */
  readonly sent: (request: ConditionalRequest) => SentResponse | undefined
  /** Of all encodings that were made. */
  readonly bytes: () => number
  /** What was sent of it before and can be sent again as it is. */
  readonly hot: HotResponse.HotResponses
}

/**
 * Of the content alone, so that it is the same after a restart and in another replica. It is weak: every encoding of
 * the content has it.
 */
const tagOf = ({ body, headers }: CachedResponse) => {
  const hash = createHash("sha256").update(body)
  for (const [name, value] of Object.entries(headers)) hash.update(`\n${name}: ${value}`)
  return `W/"${hash.digest("base64url").slice(0, 22)}"`
}

const opaque = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** RFC 9110, 13.1.2: the comparison is weak, and `*` matches whatever there is. A quoted hash is never part of another tag. */
const matches = (tag: string, given: string) => given === tag || given.trim() === "*" || given.includes(opaque(tag))

/** The fields by which clients and proxies cache a response; none where they may not. */
const validators = (response: CachedResponse, visibility: "public" | "private") => {
  const vary = Compression.varying(response.headers.vary, "accept-encoding")
  const { cacheControl = response.maxAge === undefined ? undefined : `${visibility}, max-age=${response.maxAge}` } =
    response
  if (cacheControl !== undefined) return { etag: tagOf(response), "cache-control": cacheControl, vary }
  return response.body.byteLength < Compression.worthwhile ? {} : { vary }
}

export const make = (response: CachedResponse, visibility: "public" | "private"): EncodedResponse => {
  const { contentType = "application/json", status = 200 } = response
  const forms = Compression.forms(response.body)
  const shared: { readonly etag?: string; readonly vary?: string } = validators(response, visibility)
  const { etag } = shared
  const notModified: SentResponse = { status: 304, headers: shared, body: undefined }
  const full = new Map<Compression.Encoding | undefined, SentResponse>()

  /** What is small, or was made at once itself, is compressed at once. */
  const isQuick = response.maxAge === undefined || response.body.byteLength <= Compression.small

  const chosen = ({ encoding }: ConditionalRequest) =>
    response.body.byteLength < Compression.worthwhile ? undefined : encoding
  const isUnchanged = ({ ifNoneMatch }: ConditionalRequest) =>
    etag !== undefined && ifNoneMatch !== undefined && matches(etag, ifNoneMatch)

  const sentAs = (encoding: Compression.Encoding | undefined, body: Uint8Array): SentResponse => {
    const before = full.get(encoding)
    if (before !== undefined) return before
    const sent: SentResponse = {
      status,
      headers: {
        ...response.headers,
        "content-type": contentType,
        "content-length": String(body.byteLength),
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
        ...shared
      },
      body: body as Uint8Array<ArrayBuffer>
    }
    full.set(encoding, sent)
    return sent
  }

  return {
    response,
    send: (request) => {
      if (isUnchanged(request)) return Effect.succeed(notModified)
      const encoding = chosen(request)
      return Effect.map(forms.get(encoding), (body) => sentAs(encoding, body))
    },
    sent: (request) => {
      if (isUnchanged(request)) return notModified
      const encoding = chosen(request)
      const body = isQuick ? forms.now(encoding) : forms.made(encoding)
      return body === undefined ? undefined : sentAs(encoding, body)
    },
    bytes: forms.bytes,
    hot: HotResponse.make()
  }
}
