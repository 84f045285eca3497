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

/** What a service takes for the upstreams: the one HTTP client through which everything leaves it. */
export type Upstreams = Layer.Layer<HttpClient.HttpClient>

/** Every upstream of the registered networks, simulated. */
export const sandbox: Upstreams = Sandbox.layer(Catalogue.all)

/** The same of these networks, for example with one of your own of a family that there is. */
export const sandboxOf = Sandbox.layer

/** Responds with the exchanges that `wallet-data record` or `UPSTREAMS=record:DIR` wrote to a folder. */
export const replay = (directory: string) => Layer.provide(Replay.layer(directory), BunFileSystem.layer)

const unreachable = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description })

/** No upstream can be reached: the base of worlds that are mocked as a whole. */
export const none: Upstreams = Layer.succeed(
  HttpClient.HttpClient,
  FetchClient.client((request) => Effect.fail(unreachable(request, "there is no such upstream in this test")))
)

type Passed = Effect.Effect<
  Effect.Effect.Success<ReturnType<HttpClient.HttpClient["execute"]>>,
  HttpClientError.HttpClientError
>

/** Puts something between the service and one upstream, which is named as in `/networks` and the metrics, or by its host. */
const between =
  (where: string, exchange: (request: HttpClientRequest.HttpClientRequest, url: URL, others: Passed) => Passed) =>
  <E, R>(upstreams: Layer.Layer<HttpClient.HttpClient, E, R>): Layer.Layer<HttpClient.HttpClient, E, R> =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (others) =>
        FetchClient.client((request, url) =>
          Effect.flatMap(CurrentUpstream, ({ name }) => {
            const passed = others.execute(request)
            return name === where || url.host === where ? exchange(request, url, passed) : passed
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
 * One upstream answers by a function; all others as before. `where` is the name of the upstream (`coingecko`,
 * `ethereum-rpc`) or its host (`api.coingecko.com`). What the function throws is an upstream that breaks the connection.
 */
export const mock = (
  where: string,
  respond: (request: Request) => Response | Promise<Response> | Effect.Effect<Response>
) =>
  between(where, (request, url) =>
    Effect.suspend(() => {
      const response = respond(webRequest(request, url))
      return Effect.isEffect(response) ? response : Effect.promise(() => Promise.resolve(response))
    }).pipe(
      Effect.catchAllDefect((defect) => unreachable(request, String(defect))),
      Effect.flatMap((response) => FetchClient.received(request, response))
    )
  )

/** What an upstream does instead of answering. */
export type Fault =
  /** It accepts the request and never answers. */
  | "hang"
  /** It breaks the connection. */
  | "reset"
  /** Its answer ends in the middle. */
  | "truncated"
  /** It answers 200 with a page for people. */
  | "html"
  /** It answers as ever, after this time. */
  | { readonly slow: Duration.DurationInput }
  /** It answers with this status and nothing else. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

const page = "<!doctype html><title>Checking your browser</title><p>One moment, please."

/** An upstream fails in this manner; all others answer as before. `where` is as for {@link mock}. */
export const fault = (where: string, kind: Fault) =>
  between(where, (request, _, passed) => {
    const answered = (body: string, init?: ResponseInit) => FetchClient.received(request, new Response(body, init))
    switch (kind) {
      case "hang":
        return Effect.never
      case "reset":
        return unreachable(request, "the connection was reset")
      case "html":
        return answered(page, { headers: { "content-type": "text/html" } })
      case "truncated":
        return passed.pipe(
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
          ? Effect.delay(passed, kind.slow)
          : answered("", { status: kind.status, headers: kind.headers ?? {} })
    }
  })
