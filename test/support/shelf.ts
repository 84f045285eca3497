import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../src/contract/Api.ts"
import { NotImplemented } from "../../src/contract/Problem.ts"
import type { CachedResponse } from "../../src/http/response/CachedResponse.ts"
import { ResponseCache } from "../../src/http/response/ResponseCache.ts"

/** The responses of the simulated handlers of prices and charts. */
export class Shelf extends Context.Tag("test/Shelf")<
  Shelf,
  {
    /** By the path of the contract and the query; a missing entry is not implemented. */
    readonly ready: Map<string, CachedResponse>
    /** The requests that reached a handler, in order. */
    readonly asked: Array<string>
  }
>() {
  static readonly layer = Layer.sync(Shelf, () => ({ ready: new Map(), asked: [] }))
}

/** A response that is always current by default. */
export const readyOf = (text: string, more: Partial<CachedResponse> = {}): CachedResponse => ({
  body: new TextEncoder().encode(text),
  headers: {},
  maxAge: 30,
  isCurrent: () => true,
  ...more
})

/** Not every one of the routes declares it. */
const missing = Effect.suspend(
  () => new NotImplemented({ detail: "This is not available in this version." })
) as Effect.Effect<never>

const taken = Effect.gen(function* () {
  const { asked, ready } = yield* Shelf
  const { respond } = yield* ResponseCache
  return () =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      asked.push(request.url)
      const found = ready.get(request.url)
      return found === undefined ? yield* missing : yield* respond(request, found)
    })
})

const price = HttpApiBuilder.group(Api, "prices", (handlers) =>
  Effect.map(taken, (take) =>
    handlers
      .handleRaw("byChain", take)
      .handleRaw("byCoin", take)
      .handleRaw("marketChart", take)
      .handle("currencies", () => Effect.succeed([]))
      .handleRaw("nativeDetails", take)
      .handleRaw("tokenDetails", take)
  )
)

const chart = HttpApiBuilder.group(Api, "charts", (handlers) =>
  Effect.map(taken, (take) =>
    handlers
      .handleRaw("metadata", take)
      .handle("restart", () => Effect.succeed({}))
      .handle("errors", () => Effect.succeed([]))
      .handleRaw("data", take)
      .handleRaw("item", take)
      .handleRaw("list", take)
  )
)

/** The handlers of prices and charts, over the shelf. */
export const groups = Layer.mergeAll(price, chart)
