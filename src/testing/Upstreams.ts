import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../catalogue/Catalogue.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"
import * as FetchClient from "../upstream/FetchClient.ts"
import * as Replay from "../upstream/record/Replay.ts"

/** Replaces all upstreams: the single HTTP client for every outgoing request of the service. */
export type Upstreams = Layer.Layer<HttpClient.HttpClient>

/** Simulates all upstreams of the registered networks. */
export const sandbox: Upstreams = Sandbox.layer(Catalogue.all)

/** Simulates all upstreams of the given networks; these may include a custom network of an existing family. */
export const sandboxOf = Sandbox.layer

/** Responds with the exchanges that `wallet-data record` or `UPSTREAMS=record:DIR` wrote to a folder. */
export const replay = (directory: string) => Layer.provide(Replay.layer(directory), BunFileSystem.layer)

const unreachable = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description })

/** Fails every request as unreachable: the base for tests that mock all their upstreams. */
export const none: Upstreams = Layer.succeed(
  HttpClient.HttpClient,
  FetchClient.client((request) => Effect.fail(unreachable(request, "this test has no such upstream")))
)

type Passed = Effect.Effect<
  Effect.Effect.Success<ReturnType<HttpClient.HttpClient["execute"]>>,
  HttpClientError.HttpClientError
>

/** Intercepts the requests to one upstream, given by its name in `/networks` and the metrics or by its host. */
const intercept =
  (where: string, exchange: (request: HttpClientRequest.HttpClientRequest, url: URL, others: Passed) => Passed) =>
  <E, R>(upstreams: Layer.Layer<HttpClient.HttpClient, E, R>): Layer.Layer<HttpClient.HttpClient, E, R> =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (others) =>
        FetchClient.client((request, url) =>
          Effect.flatMap(CurrentUpstream, ({ name }) => {
            const forwarded = others.execute(request)
            return name === where || url.host === where ? exchange(request, url, forwarded) : forwarded
          })
        )
      )
    ).pipe(Layer.provide(upstreams))

const webRequest = (request: HttpClientRequest.HttpClientRequest, url: URL) =>
  new Request(url.href, {
    method: request.method,
    headers: request.headers,
    ...(request.body._tag === "Uint8Array" ? { body: request.body.body.slice().buffer } : {})
  })

/**
 * Replaces one upstream with a function. `where` is the name of the upstream (`coingecko`, `ethereum-rpc`) or its host
 * (`api.coingecko.com`). If the function throws, the request fails as if the upstream had broken the connection.
 */
export const mock = (
  where: string,
  respond: (request: Request) => Response | Promise<Response> | Effect.Effect<Response>
) =>
  intercept(where, (request, url) =>
    Effect.suspend(() => {
      const response = respond(webRequest(request, url))
      return Effect.isEffect(response) ? response : Effect.promise(() => Promise.resolve(response))
    }).pipe(
      Effect.catchAllDefect((defect) => unreachable(request, String(defect))),
      Effect.flatMap((response) => FetchClient.received(request, response))
    )
  )

/** How an upstream fails. */
export type Fault =
  /** Accepts the request and never responds. */
  | "hang"
  /** Breaks the connection. */
  | "reset"
  /** Cuts the body off in the middle. */
  | "truncated"
  /** Returns status 200 with an HTML page. */
  | "html"
  /** Responds as usual, after this delay. */
  | { readonly slow: Duration.DurationInput }
  /** Returns this status and an empty body. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

const page = "<!doctype html><title>Checking your browser</title><p>One moment, please."

/** Makes one upstream fail in this way. `where` is as in {@link mock}. */
export const fault = (where: string, kind: Fault) =>
  intercept(where, (request, _, forwarded) => {
    const answered = (body: string, init?: ResponseInit) => FetchClient.received(request, new Response(body, init))
    switch (kind) {
      case "hang":
        return Effect.never
      case "reset":
        return unreachable(request, "the connection was reset")
      case "html":
        return answered(page, { headers: { "content-type": "text/html" } })
      case "truncated":
        return forwarded.pipe(
          Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
          Effect.flatMap(({ response: { headers, status }, text }) =>
            answered(text.slice(0, Math.floor(text.length / 2)), {
              status,
              headers: { "content-type": headers["content-type"] ?? "application/json" }
            })
          )
        )
      default:
        return "slow" in kind
          ? Effect.delay(forwarded, kind.slow)
          : answered("", { status: kind.status, headers: kind.headers ?? {} })
    }
  })
