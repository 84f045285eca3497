import { createHash } from "node:crypto"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../kernel/collections/MemoryBudget.ts"
import { span } from "../../kernel/span.ts"
import { isKeyed, requestDeadline } from "../../settings/variables.ts"
import { CurrentCall } from "../CurrentCall.ts"
import * as Deadlines from "../Deadlines.ts"
import * as Compression from "./Compression.ts"
import * as HeaderFields from "./HeaderFields.ts"

/** A response in one encoding, built once. */
interface SentResponse {
  readonly status: number
  readonly fields: HeaderFields.HeaderFields
  readonly header: HeaderFields.HeaderTemplate
  /** Undefined for a response without a body. A Blob is sent without a copy; a Uint8Array would be copied each time. */
  readonly body: Blob | undefined
}

/** Header fields of a request that select what is sent. */
interface ConditionalRequest {
  readonly encoding: Compression.Encoding | undefined
  readonly ifNoneMatch: string | undefined
}

/** A response in all its encodings. */
interface EncodedResponse {
  /** Replaced by each equal response that is newer, for its `isCurrent`. */
  response: CachedResponse
  /** Returns the requested encoding; compresses the body if it does not exist yet and that takes at most `maxWait` ms. */
  readonly send: (request: ConditionalRequest, maxWait: number) => Effect.Effect<SentResponse>
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

export const encodedResponse = (response: CachedResponse, visibility: "public" | "private"): EncodedResponse => {
  const { contentType = "application/json", status = 200 } = response
  const forms = Compression.forms(response.body)
  const shared: { readonly etag?: string; readonly vary?: string } = validators(response, visibility)
  const { etag } = shared
  const notModified = sentOf(304, shared)
  const full = new Map<Compression.Encoding | undefined, SentResponse>()

  /** Compresses small bodies synchronously, and bodies without validators, which are themselves built synchronously. */
  const isQuick = etag === undefined || response.body.byteLength <= Compression.maxSyncBytes

  const chosen = ({ encoding }: ConditionalRequest) =>
    response.body.byteLength < Compression.minCompressedBytes ? undefined : encoding
  const isUnchanged = ({ ifNoneMatch }: ConditionalRequest) =>
    etag !== undefined && ifNoneMatch !== undefined && matches(etag, ifNoneMatch)

  const sentAs = ({ body, encoding }: Compression.EncodedBody): SentResponse => {
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
    send: (request, maxWait) =>
      isUnchanged(request) ? Effect.succeed(notModified) : Effect.map(forms.get(chosen(request), maxWait), sentAs),
    sendSync: (request) => {
      if (isUnchanged(request)) return notModified
      const encoding = chosen(request)
      const before = full.get(encoding)
      if (before !== undefined) return before
      const form = isQuick ? forms.now(encoding) : forms.made(encoding)
      return form && sentAs(form)
    }
  }
}

/** A response whose bytes are built once and sent to many clients. */
export interface CachedResponse {
  /** 200 by default. */
  readonly status?: number
  /** JSON by default. */
  readonly contentType?: string
  readonly body: Uint8Array
  /** Header fields in addition to those of every cached response. */
  readonly headers: Readonly<Record<string, string>>
  /** Seconds for which clients and proxies may reuse it without revalidation. If absent: no caching and no ETag. */
  readonly maxAge?: number
  /** Complete `cache-control`, instead of that of `maxAge`, for responses that are not data; they have an ETag too. */
  readonly cacheControl?: string
  /** The only rule of validity: true if the data of the response is the newest and valid at this time (ms). */
  readonly isCurrent: (now: number) => boolean
}

/** Limits of the responses, which are also in the memory budget of the process. */
const max = { entries: 2000, bytes: 128 * 1024 * 1024 }

/** Bytes of a response in several encodings without their bodies. */
const responseBytes = 2048

/** A body counts three times: once to send, once to compress, and once for its compressed forms. */
const weigh = (target: string, { response }: EncodedResponse) =>
  responseBytes + target.length + 3 * response.body.byteLength

/** A longer target is probably a probe, and is not cached. */
const maxTarget = 8192

/** Path and query of a request's URL, as sent. If Host is not valid, the URL is only path and query. */
export const targetOf = (url: string) => {
  if (url.startsWith("/")) return url
  const path = url.indexOf("/", url.indexOf("://") + 3)
  return path === -1 ? "/" : url.slice(path)
}

/** True if clients get the same from both, so that the ETag and the encodings can be reused. */
const isSame = (before: CachedResponse, other: CachedResponse): boolean =>
  before.status === other.status &&
  before.contentType === other.contentType &&
  before.maxAge === other.maxAge &&
  before.cacheControl === other.cacheControl &&
  JSON.stringify(before.headers) === JSON.stringify(other.headers) &&
  (before.body === other.body || Buffer.compare(before.body, other.body) === 0)

/** The only cache of responses: those to GET requests, by target and encoding. */
export class ResponseCache extends Context.Tag("http/response/ResponseCache")<
  ResponseCache,
  {
    /** Responds to a GET request, compressed or with 304, and caches the response for `find`. */
    readonly respond: (
      request: HttpServerRequest.HttpServerRequest,
      response: CachedResponse
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /**
     * Registers the response to GET requests of this path. It is rebuilt synchronously when it is no longer current.
     */
    readonly add: (path: string, response: Effect.Effect<CachedResponse>) => Effect.Effect<void>
    /** Cached response to a GET or HEAD of this target (see {@link targetOf}) that is current at this time (ms). */
    readonly find: (target: string, now: number) => EncodedResponse | undefined
    readonly size: () => { readonly targets: number; readonly bytes: number }
  }
>() {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.gen(function* () {
      const visibility = (yield* isKeyed) ? "private" : "public"
      const deadline = yield* requestDeadline
      const clock = yield* Effect.clock
      const run = Runtime.runSyncExit(yield* Effect.runtime<never>())
      const budget = MemoryBudget.make(max.bytes, yield* MemoryBudget.CurrentMemoryBudget)
      const responses = BoundedMap.make({ name: "responses", capacity: max.entries, budget, weigh })
      const added = new Map<string, Effect.Effect<CachedResponse>>()

      const put = (target: string, response: CachedResponse): EncodedResponse => {
        const before = responses.peek(target)
        if (before !== undefined && isSame(before.response, response)) {
          before.response = response
          return before
        }
        const encoded = encodedResponse(response, visibility)
        if (target.length <= maxTarget) responses.set(target, encoded)
        return encoded
      }

      return {
        respond: Effect.fnUntraced(function* (request, response) {
          const left = Option.match(yield* Effect.serviceOption(CurrentCall), {
            onNone: () => deadline,
            onSome: (call) => Deadlines.left(clock, deadline, call)
          })
          const given = {
            encoding: Compression.negotiate(request.headers["accept-encoding"]),
            ifNoneMatch: request.headers["if-none-match"]
          }
          const encoded = put(targetOf(request.originalUrl), response)
          const { body, fields, status } = yield* encoded.send(given, Compression.maxWait(left))
          return body === undefined
            ? HttpServerResponse.empty({ status, headers: fields })
            : HttpServerResponse.raw(body, {
                headers: fields,
                status,
                contentType: fields["content-type"] ?? "",
                contentLength: body.size
              })
        }, span("ResponseCache.respond")),
        add: (path, response) => Effect.sync(() => added.set(path, Effect.withTracerEnabled(response, false))),
        find: (target, now) => {
          const before = responses.get(target)
          if (before?.response.isCurrent(now) === true) return before
          const response = added.get(target)
          // If it cannot be built, the router reports why.
          const made = response && run(response)
          return made && Exit.isSuccess(made) ? put(target, made.value) : undefined
        },
        size: () => ({ targets: responses.size(), bytes: responses.weight() })
      }
    })
  )
}
