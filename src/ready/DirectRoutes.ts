import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"

/** Answers a request whose path has these parameters, in order; what it fails with is what the route fails with. */
export type DirectAnswer<E> = (
  parameters: ReadonlyArray<string>,
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E>

/**
 * Routes whose handlers take the request and give the response as they are: nothing is decoded or encoded for them, so
 * they are answered without the router, which would cost them as much as their own work.
 */
export class DirectRoutes extends Context.Tag("ready/DirectRoutes")<
  DirectRoutes,
  {
    /** The template as the contract writes it, and the method. */
    readonly add: <E>(method: string, template: string, answer: DirectAnswer<E>) => Effect.Effect<void>
    /** The answer to a request of a route that was added; undefined for all others, and for a path that cannot be read. */
    readonly find: (
      method: string,
      template: string,
      path: string
    ) =>
      | ((
          request: HttpServerRequest.HttpServerRequest
        ) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>)
      | undefined
  }
>() {
  static readonly layer = Layer.sync(DirectRoutes, () => {
    const routes = new Map<string, DirectAnswer<unknown>>()
    return {
      add: (method, template, answer) => Effect.sync(() => routes.set(`${method} ${template}`, answer)),
      find: (method, template, path) => {
        const answer = routes.get(`${method} ${template}`)
        if (answer === undefined) return undefined
        const parameters = Either.getOrUndefined(parametersOf(template, path))
        return parameters === undefined ? undefined : (request) => answer(parameters, request)
      }
    }
  })
}

const parametersOf = (template: string, path: string) => {
  const segments = path.split("/")
  return Either.try(() =>
    template
      .split("/")
      .flatMap((part, index) => (part.startsWith(":") ? [decodeURIComponent(segments[index] ?? "")] : []))
  )
}
