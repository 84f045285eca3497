import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"

/** Edits the text of a response. */
type Edit = (text: string, request: { readonly upstream: string; readonly body: string; readonly url: URL }) => string

/** The sandbox, with the answers of its upstreams edited. */
export const editedSandbox = (edit: Edit) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (sandbox) =>
      FetchClient.client((request, url) =>
        Effect.gen(function* () {
          const { name: upstream } = yield* CurrentUpstream
          const response = yield* sandbox.execute(request)
          const { body } = request
          const sent = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
          const text = edit(yield* response.text, { upstream, body: sent, url })
          const { "content-type": type = "application/json" } = response.headers
          const init = { status: response.status, headers: { "content-type": type } }
          return yield* FetchClient.received(request, new Response(text, init))
        })
      )
    )
  ).pipe(Layer.provide(Sandbox.layer(Catalogue.all)))
