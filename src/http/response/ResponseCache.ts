import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { cachedBytes } from "../../kernel/collections/cachedBytes.ts"
import { span } from "../../kernel/span.ts"
import { isKeyed } from "../../settings/variables.ts"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"
import * as EncodedResponse from "./EncodedResponse.ts"
import * as ResponseLru from "./ResponseLru.ts"

const bounds: ResponseLru.Bounds = { targets: 2000, bytes: 64 * 1024 * 1024 }

/** A longer target looks for our limits. */
const maxTarget = 8192

/** Path and query of an address as it was sent. Of a request without a usable host the address is just that. */
export const targetOf = (url: string) => {
  if (url.startsWith("/")) return url
  const path = url.indexOf("/", url.indexOf("://") + 3)
  return path === -1 ? "/" : url.slice(path)
}

/** The responses that are ready to be sent, so that the same request needs no work twice. */
export class ResponseCache extends Context.Tag("http/response/ResponseCache")<
  ResponseCache,
  {
    /** Responds to a GET request with it, compressed as the client can take it, or with 304; the next such request finds it here. */
    readonly respond: (
      request: HttpServerRequest.HttpServerRequest,
      response: CachedResponse
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** What a GET of this path is answered with; it is made when it is requested and no longer current. Making it waits for nothing. */
    readonly add: (path: string, response: Effect.Effect<CachedResponse>) => Effect.Effect<void>
    /** The response to a GET or HEAD of this target (see {@link targetOf}), while it is current at this time (ms). */
    readonly find: (target: string, now: number) => EncodedResponse.EncodedResponse | undefined
    /** What is in it now. */
    readonly size: () => { readonly targets: number; readonly bytes: number }
  }
>() {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.gen(function* () {
      const visibility = (yield* isKeyed) ? "private" : "public"
      const run = Runtime.runSyncExit(yield* Effect.runtime<never>())
      const responses = ResponseLru.make(bounds)
      const counted = cachedBytes("ready")
      const encoded = new WeakMap<CachedResponse, EncodedResponse.EncodedResponse>()
      const added = new Map<string, Effect.Effect<CachedResponse>>()
      const made = new Map<string, EncodedResponse.EncodedResponse>()

      const keep = (target: string, forms: EncodedResponse.EncodedResponse): void => {
        responses.set(target, forms)
        counted(responses.size().bytes)
      }

      const encode = (response: CachedResponse) => {
        const before = encoded.get(response)
        if (before !== undefined) return before
        const forms = EncodedResponse.make(response, visibility)
        encoded.set(response, forms)
        return forms
      }

      /** Of what is made by itself; undefined where it cannot be made: the router says why. */
      const makeNow = (target: string, response: Effect.Effect<CachedResponse>, now: number) => {
        const last = made.get(target)
        if (last?.response.isCurrent(now) === true) return last
        const exit = run(response)
        if (Exit.isFailure(exit)) return undefined
        const forms = encode(exit.value)
        made.set(target, forms)
        return forms
      }

      return {
        respond: Effect.fnUntraced(function* (request, response) {
          const forms = encode(response)
          const { body, headers, status } = yield* forms.send({
            encoding: Compression.negotiate(request.headers["accept-encoding"]),
            ifNoneMatch: request.headers["if-none-match"]
          })
          const target = targetOf(request.originalUrl)
          if (target.length <= maxTarget && (request.method === "GET" || request.method === "HEAD")) keep(target, forms)
          return body === undefined
            ? HttpServerResponse.empty({ status, headers })
            : HttpServerResponse.uint8Array(body, { headers, contentType: headers["content-type"] ?? "" })
        }, span("ResponseCache.respond")),
        add: (path, response) => Effect.sync(() => added.set(path, Effect.withTracerEnabled(response, false))),
        find: (target, now) => {
          const response = added.get(target)
          if (response !== undefined) return makeNow(target, response, now)
          const forms = responses.get(target)
          if (forms === undefined || forms.response.isCurrent(now)) return forms
          responses.delete(target)
          return undefined
        },
        size: responses.size
      }
    })
  )
}
