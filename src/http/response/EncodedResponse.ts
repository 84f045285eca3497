import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"

/** What is sent: the same object for the same question, for as long as its answer is kept. */
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

/** What can be sent at once. */
export interface Sendable {
  /** Undefined where the form that is asked for is still to be made. */
  readonly sent: (asked: ConditionalRequest) => SentResponse | undefined
}

/** An answer in all its forms. */
export interface EncodedResponse extends Sendable {
  readonly ready: CachedResponse
  /** Makes the form that is asked for, once for all. */
  readonly send: (asked: ConditionalRequest) => Effect.Effect<SentResponse>
  /** Of all forms that were made. */
  readonly bytes: () => number
}

/**
 * Of the content alone, so that it is the same after a restart and beside another replica. It is weak: every encoding of
 * the content has it.
 */
const tagOf = ({ body, headers }: CachedResponse) => {
  const hash = createHash("sha256").update(body)
  for (const [name, value] of Object.entries(headers)) hash.update(`\n${name}: ${value}`)
  return `W/"${hash.digest("base64url").slice(0, 22)}"`
}

const opaque = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** RFC 9110, 13.1.2: the comparison is weak, and `*` is anything that there is. A quoted hash stands inside of no other tag. */
const matches = (tag: string, given: string) => given === tag || given.trim() === "*" || given.includes(opaque(tag))

export const make = (ready: CachedResponse, visibility: "public" | "private"): EncodedResponse => {
  const forms = Compression.forms(ready.body)
  const etag = tagOf(ready)
  const unchanged = {
    etag,
    "cache-control": `${visibility}, max-age=${ready.maxAge}`,
    vary: Compression.varying(ready.headers.vary, "accept-encoding")
  }
  const notModified: SentResponse = { status: 304, headers: unchanged, body: undefined }
  const full = new Map<Compression.Encoding | undefined, SentResponse>()

  const chosen = ({ encoding }: ConditionalRequest) =>
    ready.body.byteLength < Compression.worthwhile ? undefined : encoding
  const isHeld = ({ ifNoneMatch }: ConditionalRequest) => ifNoneMatch !== undefined && matches(etag, ifNoneMatch)

  const sentAs = (encoding: Compression.Encoding | undefined, body: Uint8Array): SentResponse => {
    const known = full.get(encoding)
    if (known !== undefined) return known
    const sent: SentResponse = {
      status: 200,
      headers: {
        ...ready.headers,
        "content-type": "application/json",
        "content-length": String(body.byteLength),
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
        ...unchanged
      },
      body: body as Uint8Array<ArrayBuffer>
    }
    full.set(encoding, sent)
    return sent
  }

  return {
    ready,
    send: (asked) => {
      if (isHeld(asked)) return Effect.succeed(notModified)
      const encoding = chosen(asked)
      return Effect.map(forms.get(encoding), (body) => sentAs(encoding, body))
    },
    sent: (asked) => {
      if (isHeld(asked)) return notModified
      const encoding = chosen(asked)
      const body = forms.made(encoding)
      return body === undefined ? undefined : sentAs(encoding, body)
    },
    bytes: forms.bytes
  }
}
