import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../../src/App.ts"
import * as Balance from "../../src/features/balances/handlers.ts"
import * as Chart from "../../src/features/charts/handlers.ts"
import * as History from "../../src/features/history/handlers.ts"
import * as Portfolio from "../../src/features/portfolio/handlers.ts"
import * as Price from "../../src/features/prices/handlers.ts"
import * as System from "../../src/features/status/handlers.ts"
import { type handlers, transactions } from "../../src/handlers.ts"
import { Health } from "../../src/http/Health.ts"
import { Mode } from "../../src/http/Mode.ts"
import { uncachedPipeline } from "../../src/http/pipeline.ts"
import { RawRoutes } from "../../src/http/RawRoutes.ts"
import { ResponseCache } from "../../src/http/response/ResponseCache.ts"
import * as Server from "../../src/http/Server.ts"
import { ServerSettings } from "../../src/http/ServerSettings.ts"
import { sandboxEnvironment } from "./sandbox.ts"
import { simulated } from "./simulated.ts"
import { utilities } from "./utilities.ts"

const groups = {
  balances: Balance.layer,
  charts: Chart.layer,
  history: History.layer,
  portfolio: Portfolio.layer,
  prices: Price.layer,
  status: System.layer,
  transactions
}

/** All groups of routes. */
type Routes<E, R> = Layer.Layer<Layer.Layer.Success<typeof handlers>, E, R | Layer.Layer.Context<typeof handlers>>

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
    Layer.provideMerge(Service.logging(routes), Logger.minimumLogLevel(LogLevel.None))

  /** With the log of its surroundings. */
  static readonly logging = <E, R>(routes: Layer.Layer<Layer.Layer.Success<typeof App.routes>, E, R>) =>
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
    ).pipe(Layer.provide(routes))

  /** The service over the sandbox, or another HTTP client, and the store in memory. */
  static readonly layer = (
    environment: Readonly<Record<string, string>> = {},
    outside?: Parameters<typeof sandboxEnvironment>[1]
  ) => Service.fromRoutes(Layer.fresh(App.routes)).pipe(Layer.provide(sandboxEnvironment(environment, outside)))

  /** The service over the sandbox, with other handlers of one group of routes. */
  static readonly layerWith = <E, R>(
    name: keyof typeof groups,
    group: Layer.Layer<never, E, R>,
    environment: Readonly<Record<string, string>> = {}
  ) => {
    const others = Object.entries(groups).flatMap(([key, layer]) => (key === name ? [] : [layer]))
    const all = Layer.mergeAll(utilities, group, ...others) as unknown as Routes<E, R>
    return Service.fromRoutes(
      Server.app(all).pipe(
        Layer.provideMerge(App.useCases),
        Layer.provideMerge(
          Layer.mergeAll(
            Health.layer,
            ServerSettings.layer,
            RawRoutes.layer,
            ResponseCache.layer,
            Layer.succeed(Mode, { sandbox: true })
          )
        ),
        Layer.fresh
      )
    ).pipe(Layer.provide(sandboxEnvironment(environment)))
  }

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
