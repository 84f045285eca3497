import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** From the text of a request's body, or why there is none, to the answer; what it fails with, the route fails with. */
type RawResponse = (
  body: Effect.Effect<string, unknown>
) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>

/** The same for a request whose path has these parameters, in order. */
type RawHandler = (parameters: ReadonlyArray<string>, body: Parameters<RawResponse>[0]) => ReturnType<RawResponse>

/**
 * Routes whose handlers take the body and give the response as they are: nothing is decoded or encoded for them, so
 * they are answered without the router, which would cost them more than their own work.
 */
export class RawRoutes extends Context.Tag("http/RawRoutes")<
  RawRoutes,
  {
    /** The template as the contract writes it, and the method. */
    readonly add: (method: string, template: string, answer: RawHandler) => Effect.Effect<void>
    /** The answer to a request of a route that was added, whose path has these parameters; undefined for all others. */
    readonly find: (method: string, template: string, parameters: ReadonlyArray<string>) => RawResponse | undefined
  }
>() {
  static readonly layer = Layer.sync(RawRoutes, () => {
    const routes = new Map<string, RawHandler>()
    return {
      add: (method, template, answer) => Effect.sync(() => routes.set(`${method} ${template}`, answer)),
      find: (method, template, parameters) => {
        const answer = routes.get(`${method} ${template}`)
        return answer === undefined ? undefined : (body) => answer(parameters, body)
      }
    }
  })
}
