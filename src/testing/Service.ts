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

/** A request that left the service. */
export interface UpstreamRequest {
  /** The name of the upstream, as in `/networks` and the metrics. */
  readonly upstream: string
  readonly method: string
  readonly url: string
  /** Its text; empty where it has none. */
  readonly body: string
}

/** What a service under test is made of, where it is not the sandbox with everything in it. */
export interface ServiceOptions<
  N extends Networks.NetworkPart,
  S extends PriceSources.PriceSourceLayer,
  E = never,
  ES = never
> extends Parts<N, S> {
  /** What it takes for its upstreams; by default the sandbox. */
  readonly upstreams?: Layer.Layer<HttpClient.HttpClient, E>
  /** Where it caches; by default in memory. */
  readonly store?: Layer.Layer<Store, ES>
  /** The variables of its environment. */
  readonly settings?: Readonly<Record<string, string>>
}

const origin = "http://wallet-data.test"

/** Requests in the list; older ones are dropped. */
const maxRequests = 100_000

const textOf = (body: { readonly _tag: string; readonly body?: unknown }) =>
  body.body instanceof Uint8Array ? new TextDecoder().decode(body.body) : ""

/** Writes what goes out into a list. */
const listing = <E>(upstreams: Layer.Layer<HttpClient.HttpClient, E>, list: Array<UpstreamRequest>) =>
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

/** The whole service in this process, without a socket: for tests of what is built on it. */
export class Service extends Context.Tag("testing/Service")<
  Service,
  {
    /** The typed client of the contract: a method for each route, problems in the error channel. */
    readonly api: Effect.Effect.Success<typeof makeApi>
    /** Sends any request, as a client would; the path begins with a slash. */
    readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
    /** What went out to the upstreams so far, the oldest first. */
    readonly requests: ReadonlyArray<UpstreamRequest>
  }
>() {
  /**
   * What is given takes the place of the service's own. Prices and histories of the sandbox are of the time that the
   * Clock shows; under the TestClock, time stands still until the test moves it.
   */
  static readonly layer = <
    N extends Networks.NetworkPart = Networks.RegisteredNetwork,
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
          // Code that is loaded later would take real time, while the clock of a test goes on.
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
            listing(upstreams, requests),
            store,
            App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", ...settings })
          )
        ),
        Layer.provide(Logger.minimumLogLevel(LogLevel.None))
      )
    })
}
