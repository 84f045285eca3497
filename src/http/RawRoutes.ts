import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Task from "../kernel/Task.ts"

/** From the text of a request's body, or why there is none, to the answer; what it fails with, the route fails with. */
type RawResponse = (
  body: Effect.Effect<string, unknown>
) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>

/** A response of JSON, or none of a body. */
export interface DirectResponse {
  readonly status: number
  readonly body: string | undefined
}

/** From the text of a body to the response, without a fiber; undefined for a request that needs one. */
type DirectRespond = (text: string) => Task.Task<DirectResponse> | undefined

/** The same for a request whose path has these parameters, in order. */
export interface RawHandler {
  readonly respond: (parameters: ReadonlyArray<string>, body: Parameters<RawResponse>[0]) => ReturnType<RawResponse>
  readonly direct: (parameters: ReadonlyArray<string>) => DirectRespond
}

/** How a request is responded to. */
export interface RawRoute {
  readonly respond: RawResponse
  /** For what is requested so often that a fiber would cost more than the work; it has the same response by either. */
  readonly direct: DirectRespond
}

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
    readonly find: (method: string, template: string, parameters: ReadonlyArray<string>) => RawRoute | undefined
  }
>() {
  static readonly layer = Layer.sync(RawRoutes, () => {
    const routes = new Map<string, RawHandler>()
    return {
      add: (method, template, answer) => Effect.sync(() => routes.set(`${method} ${template}`, answer)),
      find: (method, template, parameters) => {
        const answer = routes.get(`${method} ${template}`)
        return (
          answer && {
            respond: (body) => answer.respond(parameters, body),
            direct: answer.direct(parameters)
          }
        )
      }
    }
  })
}
