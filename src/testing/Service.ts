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
import * as Memory from "../storage/Memory.ts"
import type { Store } from "../storage/Store.ts"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"
import * as Upstreams from "./Upstreams.ts"

/** A request of the service to an upstream. */
export interface UpstreamRequest {
  /** Name of the upstream, as in `/networks` and the metrics. */
  readonly upstream: string
  readonly method: string
  readonly url: string
  /** Text of the body; empty without a body. */
  readonly body: string
}

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

/** Maximum length of the list of requests; the oldest are dropped. */
const maxRequests = 100_000

const textOf = (body: { readonly _tag: string; readonly body?: unknown }) =>
  body.body instanceof Uint8Array ? new TextDecoder().decode(body.body) : ""

/** Records upstream requests in a list. */
const recordRequests = <E>(upstreams: Layer.Layer<HttpClient.HttpClient, E>, list: Array<UpstreamRequest>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.make((request, url) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          list.push({ upstream: name, method: request.method, url: url.href, body: textOf(request.body) })
          if (list.length > maxRequests) list.shift()
          return client.execute(request)
        })
      )
    )
  ).pipe(Layer.provide(upstreams))

const makeApi = HttpApiClient.make(Api, { baseUrl: origin })

/** The whole service in this process, without a socket: for tests of code that uses the service. */
export class Service extends Context.Tag("testing/Service")<
  Service,
  {
    /** Typed client of the contract: one method per route, problems in the error channel. */
    readonly api: Effect.Effect.Success<typeof makeApi>
    /** Sends any request, as a client does; the path must start with a slash. */
    readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
    /** Upstream requests so far, oldest first. */
    readonly requests: ReadonlyArray<UpstreamRequest>
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
      const { settings, store = Memory.layer(), upstreams = Upstreams.sandbox } = options
      return Layer.effect(
        Service,
        Effect.gen(function* () {
          yield* (yield* Health).set("ready")
          // Loads the code of all chains now: loading it later takes real time, while the test clock advances.
          yield* (yield* Chains).all
          const handler = yield* uncachedPipeline
          const respond = (input: string | URL | Request, init?: RequestInit) =>
            handler(new Request(input instanceof URL ? input.href : (input as string), init))
          const api = yield* makeApi.pipe(
            Effect.provide(FetchHttpClient.layer),
            Effect.provideService(FetchHttpClient.Fetch, Object.assign(respond, { preconnect: () => {} }))
          )
          return {
            api,
            fetch: (path, init) => Effect.promise((signal) => respond(`${origin}${path}`, { signal, ...init })),
            requests
          }
        })
      ).pipe(
        Layer.provide(Layer.fresh(App.routesOf(options))),
        Layer.provide(
          Layer.mergeAll(
            recordRequests(upstreams, requests),
            store,
            App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", ...settings })
          )
        ),
        Layer.provide(Logger.minimumLogLevel(LogLevel.None))
      )
    })
}
