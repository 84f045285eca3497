import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { UpstreamFailed } from "../../contract/Problem.ts"
import type { CachedResponse } from "../../http/response/CachedResponse.ts"
import { ResponseCache } from "../../http/response/ResponseCache.ts"
import { ProtocolParameters } from "./ProtocolParameters.ts"

type ServerResponse = HttpServerResponse.HttpServerResponse

const encoder = new TextEncoder()

/** Not cached as a response: each request reads the text. */
const responseOf = (text: string): CachedResponse => ({
  body: encoder.encode(text),
  headers: {},
  maxAge: 0,
  isCurrent: () => false
})

/** Responds with the providers' JSON unchanged, for `handleRaw`. */
export const make = Effect.gen(function* () {
  const { json } = yield* ProtocolParameters
  const { respond } = yield* ResponseCache

  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<ServerResponse, UpstreamFailed> =>
    json.pipe(
      Effect.mapError(
        ({ message }) => new UpstreamFailed({ detail: `The protocol parameters could not be fetched: ${message}.` })
      ),
      Effect.flatMap((text) => respond(request, responseOf(text)))
    )
})
