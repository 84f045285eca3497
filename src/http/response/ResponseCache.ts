import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Runtime from "effect/Runtime"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { span } from "../../kernel/span.ts"
import { isKeyed } from "../../settings/variables.ts"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"
import * as EncodedResponse from "./EncodedResponse.ts"

const cachedBytes = Metric.gauge("response_cache_bytes", { description: "Bytes of cached responses" })

/** The least recently used responses are evicted first. A plain body counts twice: once to send, once to compress. */
const bounds = { capacity: 2000, maxWeight: 128 * 1024 * 1024 }
const weigh = (target: string, { response }: EncodedResponse.EncodedResponse) =>
  target.length + 2 * response.body.byteLength

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
    readonly find: (target: string, now: number) => EncodedResponse.EncodedResponse | undefined
    /** Current size. */
    readonly size: () => { readonly targets: number; readonly bytes: number }
  }
>() {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.gen(function* () {
      const visibility = (yield* isKeyed) ? "private" : "public"
      const run = Runtime.runSyncExit(yield* Effect.runtime<never>())
      const responses = BoundedMap.make({ ...bounds, weigh })
      const added = new Map<string, Effect.Effect<CachedResponse>>()

      const put = (target: string, response: CachedResponse): EncodedResponse.EncodedResponse => {
        const before = responses.get(target)
        if (before !== undefined && isSame(before.response, response)) {
          before.response = response
          return before
        }
        const encoded = EncodedResponse.make(response, visibility)
        if (target.length <= maxTarget) responses.set(target, encoded)
        cachedBytes.unsafeUpdate(responses.weight(), [])
        return encoded
      }

      return {
        respond: Effect.fnUntraced(function* (request, response) {
          const { body, fields, status } = yield* put(targetOf(request.originalUrl), response).send({
            encoding: Compression.negotiate(request.headers["accept-encoding"]),
            ifNoneMatch: request.headers["if-none-match"]
          })
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
