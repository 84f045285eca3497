import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Task from "../kernel/Task.ts"

/** A response of JSON, or none of a body. */
export interface DirectResponse {
  readonly status: number
  readonly body: string | undefined
}

/** How requests are responded to whose paths have these parameters, in order. */
export interface RawHandler {
  /** From the text of the body, or why there is none, to the response; what it fails with, the route fails with. */
  readonly respond: (
    parameters: ReadonlyArray<string>,
    body: Effect.Effect<string, unknown>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
  /**
   * The same without a fiber, for what is requested so often that a fiber would cost more than the work; undefined for a
   * request that needs one.
   */
  readonly direct: (parameters: ReadonlyArray<string>, text: string) => Task.Task<DirectResponse> | undefined
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
    /** The handler of a route that was added; undefined for all others. */
    readonly find: (method: string, template: string) => RawHandler | undefined
  }
>() {
  static readonly layer = Layer.sync(RawRoutes, () => {
    const byMethod = new Map<string, Map<string, RawHandler>>()
    return {
      add: (method, template, answer) =>
        Effect.sync(() => {
          const routes = byMethod.get(method) ?? new Map<string, RawHandler>()
          byMethod.set(method, routes.set(template, answer))
        }),
      find: (method, template) => byMethod.get(method)?.get(template)
    }
  })
}
