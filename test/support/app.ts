import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../../src/App.ts"
import { Health } from "../../src/http/Health.ts"
import { uncachedPipeline } from "../../src/http/pipeline.ts"
import { sandboxEnvironment } from "./sandbox.ts"
import { simulated } from "./simulated.ts"

/** The whole service without a socket. */
export class Service extends Context.Tag("test/Service")<
  Service,
  {
    readonly handler: (request: Request) => Promise<Response>
    readonly get: (path: string) => Effect.Effect<Response>
    /** POST of a value as JSON. */
    readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Effect.Effect<Response>
  }
>() {
  static readonly fromRoutes = <E, R>(routes: Layer.Layer<Layer.Layer.Success<typeof App.routes>, E, R>) =>
    Layer.effect(
      Service,
      Effect.gen(function* () {
        yield* (yield* Health).set("ready")
        const handler = yield* uncachedPipeline
        const call = (path: string, init?: RequestInit) =>
          Effect.promise((signal) => handler(new Request(`http://wallet.test${path}`, { signal, ...init })))
        return {
          handler: (request) => handler(request),
          get: (path) => call(path),
          post: (path, body, headers = {}) =>
            call(path, {
              method: "POST",
              body: JSON.stringify(body),
              headers: { "content-type": "application/json", ...headers }
            })
        }
      })
    ).pipe(Layer.provide(routes), Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None)))

  /** The service over the sandbox, or another HTTP client, and the store in memory. */
  static readonly layer = (
    environment: Readonly<Record<string, string>> = {},
    outside?: Parameters<typeof sandboxEnvironment>[1]
  ) => Service.fromRoutes(Layer.fresh(App.routes)).pipe(Layer.provide(sandboxEnvironment(environment, outside)))

  /** The same on a simulated clock, which advances while a request is in flight: timeouts take no real time. */
  static readonly layerSimulated = (...options: Parameters<typeof Service.layer>) =>
    Layer.scoped(
      Service,
      Effect.gen(function* () {
        const { finish, live } = simulated(Date.now())
        const { get, handler, post } = Context.get(yield* live(Layer.build(Service.layer(...options))), Service)
        const finished = (response: Effect.Effect<Response>) =>
          Effect.flatMap(finish(response), ({ outcome }) => outcome)
        return {
          handler: (request) => Effect.runPromise(finished(Effect.promise(() => handler(request)))),
          get: (path) => finished(get(path)),
          post: (path, value, headers) => finished(post(path, value, headers))
        }
      })
    )
}

export const body = <A>(response: Response) => Effect.promise(() => response.json() as Promise<A>)

export const textOf = (response: Response) => Effect.promise(() => response.text())
