import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { Chains } from "../chains/Chains.ts"
import type * as Networks from "../chains/Networks.ts"
import { Api } from "../contract/Api.ts"
import type * as PriceSources from "../features/prices/sources/PriceSources.ts"
import { Health } from "../http/Health.ts"
import { uncachedPipeline } from "../http/pipeline.ts"
import type { Parts } from "../Parts.ts"
import { Defects } from "../sandbox/Defects.ts"
import * as Memory from "../storage/Memory.ts"
import type { Store } from "../storage/Store.ts"
import { Upstreams as UpstreamRegistry } from "../upstream/Upstreams.ts"
import * as Failures from "./Failures.ts"
import { type Interceptor, Interceptors, mistakes } from "./Interceptors.ts"
import * as RequestLog from "./RequestLog.ts"
import type { UpstreamRequest } from "./UpstreamRequest.ts"
import * as Upstreams from "./Upstreams.ts"

/** Parts of the service under test. Defaults: all registered networks and price sources, over the sandbox. */
export interface ServiceOptions<
  N extends Networks.NetworkInput,
  S extends PriceSources.PriceSourceLayer,
  E = never,
  ES = never
> extends Parts<N, S> {
  /** HTTP client for upstream requests. Default: the sandbox. */
  readonly upstreams?: Layer.Layer<HttpClient.HttpClient, E>
  /** Store for cached data. Default: in memory. */
  readonly store?: Layer.Layer<Store, ES>
  /** Environment variables. */
  readonly settings?: Readonly<Record<string, string>>
}

const origin = "http://wallet-data.test"

const makeApi = (guard: ReturnType<typeof Failures.make>["guard"]) =>
  HttpApiClient.make(Api, { baseUrl: origin, transformClient: HttpClient.transform((request) => guard(request)) })

/** The whole service in this process, without a socket: for tests of code that uses the service. */
export class Service extends Context.Tag("testing/Service")<
  Service,
  {
    /** Typed client of the contract: one method per route, problems in the error channel. */
    readonly api: Effect.Effect.Success<ReturnType<typeof makeApi>>
    /** Sends any request, as a client does; the path must start with a slash. */
    readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
    /** Upstream requests so far with their responses, oldest first. */
    readonly requests: ReadonlyArray<UpstreamRequest>
    /** The mocks, edits and faults that have not been used so far, such as `mock("coingecko")`. */
    readonly unused: Effect.Effect<ReadonlyArray<string>>
  }
>() {
  /**
   * Options replace the service's own parts. The sandbox generates prices and histories for the time of the Clock; the
   * TestClock stands still until the test moves it.
   */
  static readonly layer = <
    N extends Networks.NetworkInput = Networks.RegisteredNetwork,
    S extends PriceSources.PriceSourceLayer = PriceSources.RegisteredSource,
    E = never,
    ES = never
  >(
    options: ServiceOptions<N, S, E, ES> = {}
  ) =>
    Layer.suspend(() => {
      const requests: Array<UpstreamRequest> = []
      const interceptors: Array<Interceptor> = []
      const failures = Failures.make()
      const { settings, store = Memory.layer(), upstreams = Upstreams.sandbox } = options
      return Layer.scoped(
        Service,
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => failures.failed)
          yield* (yield* Health).set("ready")
          // Loads the code of all chains now: loading it later takes real time, while the test clock advances.
          yield* (yield* Chains).all
          const registered = (yield* (yield* UpstreamRegistry).states).map(({ name }) => name)
          const wrong = mistakes(interceptors, registered)
          if (wrong.length > 0) return yield* Effect.die(new Error(wrong.join("\n")))
          const handler = yield* uncachedPipeline
          const respond = (input: string | URL | Request, init?: RequestInit) =>
            handler(new Request(input instanceof URL ? input.href : (input as string), init))
          const api = yield* makeApi(failures.guard).pipe(
            Effect.provide(FetchHttpClient.layer),
            Effect.provideService(FetchHttpClient.Fetch, Object.assign(respond, { preconnect: () => {} }))
          )
          return {
            api,
            fetch: (path, init) =>
              failures.guard(Effect.promise((signal) => respond(`${origin}${path}`, { signal, ...init }))),
            requests,
            unused: Effect.sync(() => interceptors.flatMap(({ isUsed, name }) => (isUsed ? [] : [name])))
          }
        })
      ).pipe(
        Layer.provide(Layer.fresh(App.routesOf(options))),
        Layer.provide(
          Layer.mergeAll(
            RequestLog.layer(upstreams, requests),
            store,
            App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", ...settings })
          )
        ),
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(Interceptors, { add: (interceptor) => void interceptors.push(interceptor) }),
            Layer.succeed(Defects, failures),
            Logger.minimumLogLevel(LogLevel.None)
          )
        )
      )
    })
}
