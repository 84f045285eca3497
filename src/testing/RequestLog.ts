import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"
import { requestOf, type UpstreamRequest } from "./UpstreamRequest.ts"

/** Maximum number of requests, and of characters in all bodies of responses; the oldest requests are dropped. */
const maxRequests = 100_000
const maxCharacters = 100_000_000

/** Adds the upstream requests of a client to a list, oldest first, and their responses when they have been read. */
export const layer = <E>(upstreams: Layer.Layer<HttpClient.HttpClient, E>, list: Array<UpstreamRequest>) => {
  let added = 0
  let characters = 0
  const dropExcess = () => {
    while (list.length > maxRequests || characters > maxCharacters)
      characters -= list.shift()?.response?.body.length ?? 0
  }
  const add = (request: UpstreamRequest) => {
    const entry: Types.Mutable<UpstreamRequest> = request
    const position = added++
    list.push(entry)
    dropExcess()
    return (response: HttpClientResponse.HttpClientResponse) =>
      observed(response, (body) => {
        // The request may have been dropped in the meantime.
        if (position < added - list.length) return
        entry.response = { status: response.status, headers: { ...response.headers }, body }
        characters += body.length
        dropExcess()
      })
  }
  return Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.make((request, url) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          const respond = add(requestOf(name, request, url))
          return Effect.map(client.execute(request), respond)
        })
      )
    )
  ).pipe(Layer.provide(upstreams))
}

/** Observes the body when it is read as a text or as a stream, the two forms that the service reads. */
const observed = (
  response: HttpClientResponse.HttpClientResponse,
  ended: (body: string) => void
): HttpClientResponse.HttpClientResponse => {
  const parts: Array<Uint8Array> = []
  const streamEnded = Effect.sync(() => ended(new TextDecoder().decode(Buffer.concat(parts))))
  // An object before the response, because some of its properties cannot be redefined.
  return Object.create(response, {
    text: { get: () => Effect.tap(response.text, (text) => Effect.sync(() => ended(text))) },
    stream: {
      get: () =>
        response.stream.pipe(
          Stream.tap((part) => Effect.sync(() => void parts.push(part))),
          Stream.tapError(({ reason }) => (reason === "EmptyBody" ? streamEnded : Effect.void)),
          Stream.onEnd(streamEnded)
        )
    }
  })
}
