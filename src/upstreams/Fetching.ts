import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { knownSmall } from "./Answer.ts"

interface Settled {
  readonly response: Response
  /** The body, where it was read. */
  readonly text?: string
  /** Why the body could not be read. */
  readonly cause?: unknown
}

/** Reads what is known to be small; a stream can be given up at any time, and ends when its reader leaves. */
const settle = (response: Response): Settled | PromiseLike<Settled> => {
  const length = Number(response.headers.get("content-length") ?? Number.NaN)
  if (!(length > 0 && length <= knownSmall) || response.headers.has("content-encoding")) return { response }
  return response.text().then(
    (text) => ({ response, text }),
    (cause) => ({ response, cause })
  )
}

/** The platform's response makes a fiber to keep its text for whoever reads it twice: a body that is there needs none. */
const responseOf = (request: HttpClientRequest.HttpClientRequest, { response, text }: Settled) =>
  text === undefined
    ? HttpClientResponse.fromWeb(request, response)
    : Object.defineProperty(
        HttpClientResponse.fromWeb(request, new Response(text, { status: response.status, headers: response.headers })),
        "text",
        { value: Effect.succeed(text) }
      )

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): RequestInit["body"] =>
  body._tag === "Uint8Array" || body._tag === "Raw" ? (body.body as RequestInit["body"]) : undefined

const exchange = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.withFiberRuntime<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((fiber) => {
    const { hash, method, url: path, urlParams } = request
    const url = UrlParams.makeUrl(path, urlParams, hash)
    const broken = (cause: unknown, reason: "InvalidUrl" | "Transport") =>
      new HttpClientError.RequestError({ request, reason, cause })
    if (Either.isLeft(url)) return broken(url.left, "InvalidUrl")
    const init = Option.getOrElse(
      Context.getOption(
        fiber.currentContext as Context.Context<FetchHttpClient.RequestInit>,
        FetchHttpClient.RequestInit
      ),
      () => ({})
    )
    const { "content-length": _, ...headers } = request.headers
    return Effect.flatMap(
      Effect.tryPromise({
        try: (signal) =>
          globalThis.fetch(url.right, { ...init, method, headers, body: bodyOf(request) ?? null, signal }).then(settle),
        catch: (cause) => broken(cause, "Transport")
      }),
      (settled) => {
        const response = responseOf(request, settled)
        return "cause" in settled
          ? new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: settled.cause })
          : Effect.succeed(response)
      }
    )
  })

/**
 * The way out of the process by the runtime's `fetch`. As `FetchHttpClient`, for requests whose bodies are at hand and
 * whose answers are read to the end; without spans, and a third of its cost, which for a call that is passed on is most of
 * all that is done.
 */
export const layer = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(Effect.flatMap(exchange), Effect.succeed)
)
