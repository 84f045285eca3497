import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { span } from "../../kernel/span.ts"
import { apiKeys } from "../../settings/ApiKeys.ts"
import type { CachedResponse } from "./CachedResponse.ts"
import * as Compression from "./Compression.ts"
import * as EncodedResponse from "./EncodedResponse.ts"
import * as ResponseLru from "./ResponseLru.ts"

const bounds: ResponseLru.Bounds = { targets: 2000, bytes: 64 * 1024 * 1024 }

/** A longer target is made by somebody who looks for our limits. */
const maxTarget = 8192

/** Path and query of an address as it was sent. Of a request without a usable host the address is just that. */
export const targetOf = (url: string) => {
  if (url.startsWith("/")) return url
  const path = url.indexOf("/", url.indexOf("://") + 3)
  return path === -1 ? "/" : url.slice(path)
}

/** The answers that are ready, so that the same question needs no work twice. */
export class ResponseCache extends Context.Tag("http/response/ReadyAnswers")<
  ResponseCache,
  {
    /** Answers a GET request with it, compressed as the client can take it, or with 304; and keeps it for the next such request. */
    readonly respond: (
      request: HttpServerRequest.HttpServerRequest,
      ready: CachedResponse
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** What was answered to a GET or HEAD of this target (see {@link targetOf}), while it is current at this time (ms). */
    readonly find: (target: string, now: number) => EncodedResponse.EncodedResponse | undefined
    /** What is kept at the moment. */
    readonly held: () => { readonly targets: number; readonly bytes: number }
  }
>() {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.map(apiKeys, (keys) => {
      const visibility = keys.length === 0 ? "public" : "private"
      const kept = ResponseLru.make(bounds)
      const prepared = new WeakMap<CachedResponse, EncodedResponse.EncodedResponse>()

      const prepare = (ready: CachedResponse) => {
        const known = prepared.get(ready)
        if (known !== undefined) return known
        const made = EncodedResponse.make(ready, visibility)
        prepared.set(ready, made)
        return made
      }

      return {
        respond: Effect.fnUntraced(function* (request, ready) {
          const encodedResponse = prepare(ready)
          const { body, headers, status } = yield* encodedResponse.send({
            encoding: Compression.negotiate(request.headers["accept-encoding"]),
            ifNoneMatch: request.headers["if-none-match"]
          })
          const target = targetOf(request.originalUrl)
          if (target.length <= maxTarget && (request.method === "GET" || request.method === "HEAD"))
            kept.keep(target, encodedResponse)
          return body === undefined
            ? HttpServerResponse.empty({ status, headers })
            : HttpServerResponse.uint8Array(body, { headers, contentType: "application/json" })
        }, span("ReadyAnswers.respond")),
        find: (target, now) => {
          const item = kept.get(target)
          if (item === undefined || item.ready.isCurrent(now)) return item
          kept.drop(target)
          return undefined
        },
        held: kept.held
      }
    })
  )
}
