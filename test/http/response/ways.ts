import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { NetworkList } from "../../../src/features/status/NetworkList.ts"
import type { Mode } from "../../../src/http/Mode.ts"
import { pipeline, uncachedPipeline } from "../../../src/http/pipeline.ts"
import { serverDependencies } from "../../support/edge.ts"

type Call = (
  path: string,
  init?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly from?: string }
) => Effect.Effect<Response>

/** The service without a socket: `call` is the pipeline as the socket calls it, `slow` has no response cache. */
export class Pipelines extends Context.Tag("test/Ways")<
  Pipelines,
  {
    readonly call: Call
    readonly uncached: Call
    /** The log lines with a route: those of requests. */
    readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
>() {
  static readonly layer = (
    environment: Readonly<Record<string, string>> = {},
    mode?: Context.Tag.Service<Mode>,
    catalogue?: Context.Tag.Service<NetworkList>
  ) =>
    Layer.suspend(() => {
      const lines: Array<Readonly<Record<string, unknown>>> = []
      const capture = Logger.make((options) => {
        const { annotations } = Logger.structuredLogger.log(options)
        if ("route" in annotations) lines.push(annotations)
      })
      return Layer.effect(
        Pipelines,
        Effect.gen(function* () {
          const handler = yield* pipeline
          const uncached = yield* uncachedPipeline
          const request = (path: string, init: RequestInit) => new Request(`http://wallet.test${path}`, init)
          return {
            call: (path, { from = "192.0.2.1", ...init } = {}) =>
              Effect.promise(() => Promise.resolve(handler(request(path, init), () => from))),
            uncached: (path, { from = "192.0.2.1", ...init } = {}) =>
              Effect.promise(() => uncached(request(path, init), () => from)),
            lines
          }
        })
      ).pipe(
        Layer.provideMerge(serverDependencies(environment, mode, catalogue)),
        Layer.provideMerge(Logger.replace(Logger.defaultLogger, capture))
      )
    })
}

export const bytes = (response: Response) => Effect.promise(() => response.bytes())

/** The parts of a response that do not differ per request. */
export const seen = (response: Response) =>
  Effect.map(bytes(response), (body) => {
    const headers = Object.fromEntries(response.headers)
    assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._~-]{1,64}$/)
    delete headers["x-request-id"]
    const text = new TextDecoder("latin1").decode(body).replace(/"requestId":"[^"]+"/, "")
    return { status: response.status, headers, text }
  })
