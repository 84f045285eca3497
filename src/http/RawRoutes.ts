import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Task from "../kernel/Task.ts"
import type { LimitRefusal } from "./access/Limits.ts"

/** A JSON response, or a response without a body. */
export interface DirectResponse {
  readonly status: number
  readonly body: string | undefined
}

/** Counts the calls of a batch after the first for the client's rate limit. Returns a refusal if they are too many. */
export type CountCalls = (calls: number) => Effect.Effect<LimitRefusal | undefined>

/** Returns the response to the path parameters, in order, and the text of the body; fails with a `Problem`. */
export type RawHandler = (
  parameters: ReadonlyArray<string>,
  text: string,
  count: CountCalls,
  /** The client for which requests are counted. */
  client: () => string
) => Task.Task<DirectResponse, unknown>

/**
 * Routes whose handlers take the body as text and return the response as text. They need no decoding or encoding, so
 * they bypass the router, which would cost more than their own work.
 */
export class RawRoutes extends Context.Tag("http/RawRoutes")<
  RawRoutes,
  {
    /** Adds the handler of POST to a route, by the route's template in the contract. */
    readonly add: (template: string, handler: RawHandler) => Effect.Effect<void>
    /** Undefined for routes that were not added. */
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
