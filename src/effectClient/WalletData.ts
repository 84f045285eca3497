import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Random from "effect/Random"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import { baseOf, hasOrigin, type Optional } from "../client/ClientOptions.ts"
import { backoff, isTemporary, type RetrySettings, retryAfterOf } from "../client/retries.ts"
import { isBlocked } from "../client/Transport.ts"
import { Api } from "../contract/Api.ts"
import { type InvalidRequest, Overloaded, TooManyRequests } from "../contract/Problem.ts"
import { schemaProblem } from "../contract/problem/issues.ts"
import { mayBeRepeated } from "../contract/wire.ts"
import { requireFile } from "./files.ts"
import { type Opened, openedApi } from "./opened.ts"
import { type Plain, withoutUndefined } from "./requests.ts"

const patterns = (): ReadonlyArray<readonly [method: string, path: RegExp]> => {
  const found: Array<readonly [string, RegExp]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, path }, successes }) => {
      // Excludes endpoints whose contract declares 503 as a success: there it is data, not a refusal.
      if (mayBeRepeated(method, annotations) && !successes.has(503))
        found.push([method, new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`)])
    }
  })
  return found
}

const reads = patterns()

/** Whether a request to this path may be repeated without a side effect. */
export const isRepeatable = (method: string, path: string): boolean =>
  reads.some(([ofRoute, pattern]) => ofRoute === method && pattern.test(path))

type Attempt<E> = Effect.Effect<HttpClientResponse.HttpClientResponse, E>

/** Whether the connection failed, before the response or in its body. */
const isDisconnected = (error: unknown) =>
  (error instanceof HttpClientError.RequestError && error.reason === "Transport") ||
  (error instanceof HttpClientError.ResponseError && error.reason === "Decode")

/** Fails with an invalid URL for what `fetch` refuses before it connects: that is no failure of the connection. */
const withoutUnsendable = (
  effect: Attempt<HttpClientError.HttpClientError>,
  request: HttpClientRequest.HttpClientRequest
) => {
  const invalid = (cause: unknown) => new HttpClientError.RequestError({ request, reason: "InvalidUrl", cause })
  return request.url.startsWith("/") && !hasOrigin()
    ? Effect.fail(invalid(new TypeError("baseUrl must be a whole URL outside of a page")))
    : Effect.mapError(effect, (error) => (isBlocked(error.cause) ? invalid(error.cause) : error))
}

const isProblem = (headers: Headers.Headers) =>
  headers["content-type"]?.toLowerCase().startsWith("application/problem+json") === true

/** Retries repeatable requests to the service at `base` after failures that may be temporary. */
const retrying =
  (base: string, settings: RetrySettings) =>
  <E>(
    effect: Attempt<E>,
    { method, url }: HttpClientRequest.HttpClientRequest
  ): Attempt<E | HttpClientError.ResponseError> => {
    if (!isRepeatable(method, url.slice(base.length))) return effect
    // The body may break off too. Decoding reads the same bytes again.
    const whole = Effect.tap(effect, (response) => (response.status < 300 ? response.arrayBuffer : Effect.void))
    const attempt = (count: number): Attempt<E | HttpClientError.ResponseError> =>
      Effect.flatMap(Effect.either(whole), (result) => {
        const mayHelp = Either.match(result, {
          onLeft: isDisconnected,
          onRight: ({ headers, status }) => isTemporary(status, isProblem(headers))
        })
        if (!mayHelp) return result
        const headers: Headers.Headers = Either.isRight(result) ? result.right.headers : Headers.empty
        return Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
          const retryAfter = retryAfterOf(headers["retry-after"], headers.date, now)
          const delay = backoff(count, retryAfter, settings, random)
          return delay === undefined ? result : Effect.zipRight(Effect.sleep(delay), attempt(count + 1))
        })
      })
    return attempt(0)
  }

/** The last response to the method that a fiber runs. */
const current = FiberRef.unsafeMake<HttpClientResponse.HttpClientResponse | undefined>(undefined)

/** Longest part of a foreign body in a message. */
const maxShown = 200

const Foreign = Schema.parseJson(
  Schema.Struct({ detail: Schema.optional(Schema.String), requestId: Schema.optional(Schema.String) })
)

/** The error of a response with an error status that is not in the contract: from a gateway, or of a later version. */
const foreignError = (error: unknown, response: HttpClientResponse.HttpClientResponse, base: string) => {
  // Decoding has read the bytes; otherwise callers may still read the text.
  const text = ParseResult.isParseError(error)
    ? Effect.map(response.arrayBuffer, (bytes) => new TextDecoder().decode(bytes))
    : response.text
  return Effect.map(
    Effect.orElseSucceed(text, () => ""),
    (text) => {
      const { headers, request, status } = response
      // The bytes were read: callers get the text again.
      const readable = HttpClientResponse.fromWeb(request, new Response(text, { status, headers }))
      const body = Option.getOrElse(Schema.decodeOption(Foreign)(text), () => ({}) as typeof Foreign.Type)
      const requestId = headers["x-request-id"] ?? body.requestId
      const detail = body.detail ?? `The service returned status ${status}: ${text.slice(0, maxShown)}`
      const content = requestId === undefined ? { detail } : { detail, requestId }
      if (status === 429) return new TooManyRequests(content)
      // A gateway that cannot reach the service may have sent it the request.
      if (status === 503 && isRepeatable(request.method, request.url.slice(base.length))) return new Overloaded(content)
      const description = requestId === undefined ? detail : `${detail} (request id ${requestId})`
      return new HttpClientError.ResponseError({ request, response: readable, reason: "StatusCode", description })
    }
  )
}

export { Api } from "../contract/Api.ts"
/** Error classes of the service, such as `Problem.TooManyRequests`. */
export * as Problem from "../contract/Problem.ts"

export interface Options extends Optional<RetrySettings> {
  /** Base URL of the service. */
  readonly baseUrl: string
  /** Sent as `x-api-key`. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** Makes `fetch` not follow redirects: the API key must not reach their targets. */
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    Effect.provideService(effect, FetchHttpClient.RequestInit, {
      ...Option.getOrElse(init, () => ({})),
      redirect: "manual"
    })
  )

const hidden = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClientRequest.setHeader(request, "x-api-key", "<redacted>")

/** The response with a request without the key, and so the errors of its body. */
const responseWithoutKey = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
  const { original } = response as { readonly original?: HttpClientResponse.HttpClientResponse }
  return Object.create(response, {
    request: { value: hidden(response.request), enumerable: true },
    ...(original === undefined ? {} : { original: { value: responseWithoutKey(original) } })
  })
}

/** Hides the key in the requests of responses and errors: outside of a fiber, their JSON would contain it. */
const withoutKey = (effect: Attempt<HttpClientError.HttpClientError>) =>
  Effect.mapBoth(effect, {
    onFailure: (error) =>
      error instanceof HttpClientError.RequestError
        ? new HttpClientError.RequestError({ ...error, request: hidden(error.request), cause: error.cause })
        : error,
    onSuccess: responseWithoutKey
  })

/** Problems by the status of a gateway's response, on routes too where the service has none. */
type OfGateway = InstanceType<typeof TooManyRequests> | InstanceType<typeof Overloaded>

type Method<Endpoint, GroupError> =
  Endpoint extends HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer Path,
    infer Query,
    infer Payload,
    infer Fields,
    infer Success,
    infer Error
  >
    ? <WithResponse extends boolean = false>(
        request: Simplify<
          HttpApiEndpoint.HttpApiEndpoint.ClientRequest<
            Plain<Path>,
            Plain<Query>,
            Plain<Payload>,
            Plain<Fields>,
            WithResponse
          >
        >
      ) => Effect.Effect<
        WithResponse extends true ? [Opened<Success>, HttpClientResponse.HttpClientResponse] : Opened<Success>,
        Error | GroupError | InvalidRequest | OfGateway | HttpClientError.HttpClientError | ParseResult.ParseError
      >
    : never

type Groups = typeof Api extends HttpApi.HttpApi<infer _, infer All, infer __, infer ___> ? All : never

/** The groups of the contract and their methods. */
export type Client = {
  readonly [Group in Groups as HttpApiGroup.HttpApiGroup.Name<Group>]: Group extends HttpApiGroup.HttpApiGroup<
    infer _,
    infer Endpoints,
    infer GroupError
  >
    ? {
        readonly [Endpoint in Endpoints as HttpApiEndpoint.HttpApiEndpoint.Name<Endpoint>]: Method<Endpoint, GroupError>
      }
    : never
}

type AnyMethod = (request: unknown) => Effect.Effect<unknown, unknown>

/**
 * Creates a client of the contract: its groups and methods, with typed errors. An invalid request fails as if the
 * service had refused it, but is not sent. Retries reads after connection failures, 429, 503, and 408, 502 and 504 of a gateway. Sets no time limits;
 * that is up to the caller. Throws if the base URL or the key is invalid, without their values.
 */
export const make = ({
  apiKey,
  baseUrl,
  maxRetryDelay = 30_000,
  retries = 2,
  retryDelay = 1_000
}: Options): Effect.Effect<Client, never, HttpClient.HttpClient> => {
  const base = baseOf(baseUrl, apiKey && Redacted.value(apiKey))
  const ofResponses = new WeakSet<object>()
  const errorOf = (error: unknown) =>
    Effect.flatMap(FiberRef.get(current), (response): Effect.Effect<unknown> => {
      if (ParseResult.isParseError(error) && !ofResponses.has(error))
        return Effect.succeed(schemaProblem(ParseResult.ArrayFormatter.formatErrorSync(error)))
      const isUnknown = ParseResult.isParseError(error) || error instanceof HttpClientError.ResponseError
      return isUnknown && response !== undefined && response.status >= 400
        ? foreignError(error, response, base)
        : Effect.succeed(error)
    })
  const withProblem = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
    Effect.catchAll(effect, (error) => Effect.flatMap(errorOf(error), Effect.fail)).pipe(
      Effect.locally(current, undefined)
    )
  const client = HttpApiClient.make(openedApi(Api), {
    baseUrl: base,
    transformResponse: Effect.tapError((error) => Effect.sync(() => ofResponses.add(error as object))),
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequest((request) =>
          apiKey === undefined ? request : HttpClientRequest.setHeader(request, "x-api-key", Redacted.value(apiKey))
        ),
        HttpClient.transform(withoutRedirects),
        HttpClient.transform(withoutUnsendable),
        (client) => (apiKey === undefined ? client : HttpClient.transform(client, withoutKey)),
        HttpClient.transform(retrying(base, { retries, retryDelay, maxRetryDelay })),
        HttpClient.tap((response) => FiberRef.set(current, response)),
        HttpClient.tap((response) => requireFile(response, response.request.url.slice(base.length)))
      )
  })
  const withProblems = Record.map(
    (method: AnyMethod): AnyMethod =>
      (request) =>
        withProblem(method(withoutUndefined(request)))
  )
  return Effect.map(client, (groups) => Record.map(groups as never, withProblems) as Client)
}

/** The client as a service. */
export class WalletData extends Context.Tag("effectClient/WalletData")<WalletData, Client>() {
  static readonly layer = (options: Options): Layer.Layer<WalletData, never, HttpClient.HttpClient> =>
    Layer.effect(WalletData, make(options))
}
