import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Task from "../kernel/Task.ts"
import type { LimitRefusal } from "./access/Limits.ts"

/** A response of JSON, or none of a body. */
export interface DirectResponse {
  readonly status: number
  readonly body: string | undefined
}

/** Counts the calls of a batch beyond its first one for the rate limit of the client; the refusal where they are too many. */
export type CountCalls = (calls: number) => Effect.Effect<LimitRefusal | undefined>

/** From the parameters of the path, in order, and the text of the body to the response; fails with a `Problem`. */
export type RawHandler = (
  parameters: ReadonlyArray<string>,
  text: string,
  count: CountCalls
) => Task.Task<DirectResponse, unknown>

/**
 * Routes whose handlers take the body and give the response as they are: nothing is decoded or encoded for them, so
 * they are answered without the router, which would cost them more than their own work.
 */
export class RawRoutes extends Context.Tag("http/RawRoutes")<
  RawRoutes,
  {
    /** The handler of POST to a route, by the template as the contract writes it. */
    readonly add: (template: string, handler: RawHandler) => Effect.Effect<void>
    /** Undefined for all routes that were not added. */
    readonly find: (template: string) => RawHandler | undefined
  }
>() {
  static readonly layer = Layer.sync(RawRoutes, () => {
    const routes = new Map<string, RawHandler>()
    return {
      add: (template, handler) => Effect.sync(() => routes.set(template, handler)),
      find: (template) => routes.get(template)
    }
  })
}
