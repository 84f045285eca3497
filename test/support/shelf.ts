import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../src/contract/Api.ts"
import { NotImplemented } from "../../src/contract/Problem.ts"
import { type CachedResponse, ResponseCache } from "../../src/http/response/ResponseCache.ts"

/** The responses of the simulated handlers of prices and charts. */
export class CannedResponses extends Context.Tag("test/Shelf")<
  CannedResponses,
  {
    /** Responses by path and query; a request without an entry fails with "not implemented". */
    readonly ready: Map<string, CachedResponse>
    /** The requests that reached a handler, in order. */
    readonly handled: Array<string>
  }
>() {
  static readonly layer = Layer.sync(CannedResponses, () => ({ ready: new Map(), handled: [] }))
}

/** A response; by default it never expires. */
export const readyOf = (text: string, more: Partial<CachedResponse> = {}): CachedResponse => ({
  body: new TextEncoder().encode(text),
  headers: {},
  maxAge: 30,
  isCurrent: () => true,
  ...more
})

/** The cast hides an error that not all routes declare. */
const missing = Effect.suspend(
  () => new NotImplemented({ detail: "This is not available in this version." })
) as Effect.Effect<never>

const taken = Effect.gen(function* () {
  const { handled, ready } = yield* CannedResponses
  const { respond } = yield* ResponseCache
  return () =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      handled.push(request.url)
      const found = ready.get(request.url)
      return found === undefined ? yield* missing : yield* respond(request, found)
    })
})

const price = HttpApiBuilder.group(Api, "prices", (handlers) =>
  Effect.map(taken, (take) =>
    handlers
      .handleRaw("chain", take)
      .handleRaw("coin", take)
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

/** Handlers of prices and charts that return the responses of the shelf. */
export const groups = Layer.mergeAll(price, chart)
