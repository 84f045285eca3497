import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"

/** Sends requests of upstreams whose names match to `other`, and all other requests to the sandbox. */
export const sandboxExcept = (names: RegExp, other: Layer.Layer<HttpClient.HttpClient>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const of = (layer: Layer.Layer<HttpClient.HttpClient>) =>
        Effect.map(Layer.build(layer), (context) => Context.get(context, HttpClient.HttpClient))
      const simulated = yield* of(Sandbox.layer(Catalogue.all))
      const real = yield* of(other)
      const client = HttpClient.make((request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => (names.test(name) ? real : simulated).execute(request))
      )
      return FetchClient.withSend(client, (name) => (names.test(name) ? FetchClient.sendOf(real, name) : undefined))
    }).pipe(Effect.scoped)
  )
