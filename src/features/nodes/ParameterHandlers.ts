import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { UpstreamFailed } from "../../contract/Problem.ts"
import type { CachedResponse } from "../../http/response/CachedResponse.ts"
import { ResponseCache } from "../../http/response/ResponseCache.ts"
import { ProtocolParameters } from "./ProtocolParameters.ts"

type Response = HttpServerResponse.HttpServerResponse

const encoder = new TextEncoder()

/** Answers with the providers' own JSON, for `handleRaw`. */
export const make = Effect.gen(function* () {
  const { json } = yield* ProtocolParameters
  const { respond } = yield* ResponseCache
  let last: { readonly text: string; readonly ready: CachedResponse } | undefined

  /** The very same answer while it says the same, so that it is compressed once. Each request asks anew. */
  const answer = (text: string): CachedResponse => {
    const same = last?.text === text ? last : { text, ready: once(text) }
    last = same
    return same.ready
  }
  const once = (text: string): CachedResponse => ({
    body: encoder.encode(text),
    headers: {},
    maxAge: 0,
    isCurrent: () => false
  })

  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response, UpstreamFailed> =>
    json.pipe(
      Effect.mapError(
        ({ message }) => new UpstreamFailed({ detail: `The protocol parameters could not be fetched: ${message}.` })
      ),
      Effect.flatMap((text) => respond(request, answer(text)))
    )
})
