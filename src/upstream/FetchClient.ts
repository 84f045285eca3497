import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { CurrentUpstream } from "./CurrentUpstream.ts"
import * as PublicHosts from "./guarded/PublicHosts.ts"
import { isKnownSmall } from "./response/ResponseDecoder.ts"

/** The supported content encodings, with the runtime's names. */
const encodings = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate", br: "brotli", zstd: "zstd" } as const

/** The encodings that are requested. Not `deflate`: servers use the name for two different formats. */
export const accepted = "gzip, br, zstd"

const isUnderstood = (encoding: string): encoding is keyof typeof encodings => Object.hasOwn(encodings, encoding)

/** Maximum number of consecutive redirects; more are a loop. */
const maxRedirects = 3

export interface FetchedResponse {
  readonly response: Response
  /** The body, if it was read. */
  readonly text?: string
  /** Why the body could not be read. */
  readonly cause?: unknown
}

/** Reads a small body; a larger body is left to its reader, which may cancel it. */
export const readIfSmall = (response: Response): FetchedResponse | PromiseLike<FetchedResponse> => {
  const { headers } = response
  // Reading the text directly needs no stream.
  if (isKnownSmall(headers.get("content-length"), headers.get("content-encoding"), headers.get("transfer-encoding")))
    return response.text().then(
      (text) => ({ response, text }),
      (cause) => ({ response, cause })
    )
  return response.body === null ? { response } : begun(response, response.body)
}

/** Length that is read of a body of unknown length before its reader decides about the rest, bytes. */
const begunLength = 65_536

const begun = (response: Response, body: ReadableStream<Uint8Array>): Promise<FetchedResponse> => {
  const reader = body.getReader()
  const parts: Array<Uint8Array> = []
  let length = 0
  /** The whole body: the parts that were read, then the remaining ones. */
  const replayed = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.shift()
        return part === undefined
          ? reader.read().then(({ done, value }) => (done ? controller.close() : controller.enqueue(value)))
          : controller.enqueue(part)
      },
      cancel: (reason) => reader.cancel(reason)
    })
  const more = (): Promise<FetchedResponse> =>
    reader.read().then(({ done, value }) => {
      if (done) return whole(response, Buffer.concat(parts))
      parts.push(value)
      length += value.length
      return length <= begunLength ? more() : { response: new Response(replayed(), response) }
    })
  return more().catch((cause) => ({ response, cause }))
}

/** Converts to a response that declares its length. */
const whole = ({ headers, status }: Response, bytes: Buffer): FetchedResponse => {
  const sized = new Headers(headers)
  sized.delete("transfer-encoding")
  sized.set("content-length", String(bytes.length))
  return { response: new Response(null, { status, headers: sized }), text: new TextDecoder().decode(bytes) }
}

/**
 * Decompresses the body part by part, when its reader needs a part: a small body that inflates to a large one is not
 * decompressed completely, and does not block the thread of the runtime that serves all responses.
 */
const inflated = (response: Response): Response => {
  const { headers, status } = response
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? ""
  if (!isUnderstood(encoding) || headers.get("content-length") === "0") return response
  const { body } = response
  if (body === null) return response
  const remaining = new Headers(headers)
  remaining.delete("content-encoding")
  remaining.delete("content-length")
  return new Response(body.pipeThrough(new DecompressionStream(encodings[encoding])), { status, headers: remaining })
}

const isRedirect = (status: number) => status >= 300 && status < 400

/**
 * Target of a redirect that may be followed: at one of these hosts, never from https to http, and never with another
 * method, because the response to a GET is not the response to a POST.
 */
const redirected = (response: Response, from: URL, method: string, hosts: ReadonlyArray<string>): URL | undefined => {
  const location = response.headers.get("location")
  const keepsMethod = response.status === 307 || response.status === 308
  const isFollowed = keepsMethod || (method === "GET" && [301, 302, 303].includes(response.status))
  if (!isFollowed || location === null || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const isSafe = to.protocol === "https:" || (to.protocol === "http:" && from.protocol === "http:")
  return isSafe && hosts.includes(to.host) && to.username === "" && to.password === "" ? to : undefined
}

/** The platform's response uses a fiber to cache its text for reuse; a text that was already read needs none. */
const responseOf = (request: HttpClientRequest.HttpClientRequest, { response, text }: FetchedResponse) =>
  text === undefined
    ? HttpClientResponse.fromWeb(request, response)
    : Object.defineProperty(
        HttpClientResponse.fromWeb(request, new Response(text, { status: response.status, headers: response.headers })),
        "text",
        { value: Effect.succeed(text) }
      )

/** Converts a response of the runtime to one of the platform; reads its body if it is small. */
export const received = (
  request: HttpClientRequest.HttpClientRequest,
  response: Response
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  Effect.flatMap(
    Effect.promise(() => Promise.resolve(readIfSmall(response))),
    (settled) => toPlatformResponse(request, settled)
  )

/** The response with this body to a request, for readers in a fiber. */
export const toPlatformResponse = (
  request: HttpClientRequest.HttpClientRequest,
  settled: FetchedResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  const response = responseOf(request, settled)
  return "cause" in settled
    ? new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: settled.cause })
    : Effect.succeed(response)
}

export const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): RequestInit["body"] =>
  body._tag === "Uint8Array" || body._tag === "Raw" ? (body.body as RequestInit["body"]) : undefined

interface SentRequest {
  readonly method: string
  readonly headers: Headers | Readonly<Record<string, string>>
  readonly body: RequestInit["body"]
  readonly signal: AbortSignal
  /** True if it needs a new connection: one that was used before may be dead. */
  readonly isFresh?: boolean
}

/** Sends a request unchanged and reads a small response, without a fiber; rejects as `fetch` does. */
export interface Send {
  (
    url: URL,
    request: SentRequest,
    /** The hosts to which a redirect may lead. */
    hosts: ReadonlyArray<string>
  ): Promise<FetchedResponse>
  /** Closes the idle connections to a host. */
  readonly renew?: (host: string) => void
}

/** Time after which an idle connection is closed, s; servers and networks commonly drop one after a minute or more. */
const idleTimeout = 45

/**
 * Sends over separate connections for each host, so that the idle ones of a host can be closed: the runtime reuses
 * connections that no longer work (https://github.com/oven-sh/bun/issues/31894). A redirect uses the session of the first
 * host, so that there are as many sessions as configured hosts.
 */
const connected = (): Send => {
  const sessions = new Map<string, Bun.FetchSession>()
  const sessionOf = ({ host }: URL): Bun.FetchSession => {
    const known = sessions.get(host)
    if (known !== undefined) return known
    const session = new Bun.FetchSession({ keepAlive: { idleTimeout } })
    sessions.set(host, session)
    return session
  }

  const fetched = (
    url: URL,
    sent: SentRequest,
    hosts: ReadonlyArray<string>,
    session: Bun.FetchSession,
    follows: number
  ): Promise<FetchedResponse> => {
    const { body, headers, isFresh = false, method, signal } = sent
    // The runtime's own decompression and redirects have no limits.
    const bounded = { decompress: false, redirect: "manual" } as const
    const init = { method, headers, body: body ?? null, signal, session, keepalive: !isFresh, ...bounded }
    return globalThis.fetch(url, init).then((response) => {
      const next = follows > 0 && isRedirect(response.status) ? redirected(response, url, method, hosts) : undefined
      if (next === undefined) return readIfSmall(inflated(response))
      return Promise.resolve(response.body?.cancel()).then(() => fetched(next, sent, hosts, session, follows - 1))
    })
  }

  return Object.assign<Send, Pick<Send, "renew">>(
    (url, sent, hosts) => fetched(url, sent, hosts, sessionOf(url), maxRedirects),
    // Calls in progress keep their connections.
    { renew: (host) => sessions.get(host)?.close() }
  )
}

const exchangeBy = (send: Send) => (request: HttpClientRequest.HttpClientRequest, url: URL) =>
  Effect.withFiberRuntime<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((fiber) => {
    const { method } = request
    const current = Context.get(fiber.currentContext as Context.Context<CurrentUpstream>, CurrentUpstream)
    const { guard, redirects = [] } = current
    if (guard !== undefined) return PublicHosts.get(request, url, guard)
    const { "content-length": _, ...own } = request.headers
    const headers = { "accept-encoding": accepted, ...own }
    const body = bodyOf(request)
    return Effect.flatMap(
      Effect.tryPromise({
        try: (signal) => send(url, { method, headers, body, signal }, redirects),
        catch: (cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
      }),
      (settled) => toPlatformResponse(request, settled)
    )
  })

/** Like `HttpClient.make`, without spans and without a signal, which cost more than the rest. */
export const client = (
  exchange: (
    request: HttpClientRequest.HttpClientRequest,
    url: URL
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
): HttpClient.HttpClient =>
  HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) => {
      const url = UrlParams.makeUrl(request.url, request.urlParams, request.hash)
      return Either.isRight(url)
        ? exchange(request, url.right)
        : new HttpClientError.RequestError({ request, reason: "InvalidUrl", cause: url.left })
    }),
    Effect.succeed
  )

const direct = Symbol("direct")

/** Adds a direct `Send` to a client, for frequent requests whose largest cost would be a fiber. */
export const withSend = (client: HttpClient.HttpClient, of: (upstream: string) => Send | undefined) =>
  Object.assign(client, { [direct]: of })

/** The `Send` of this upstream; undefined for clients that also record or simulate. */
export const sendOf = (client: HttpClient.HttpClient, upstream: string): Send | undefined =>
  (client as HttpClient.HttpClient & { readonly [direct]?: (upstream: string) => Send | undefined })[direct]?.(upstream)

/**
 * HTTP client over the runtime's `fetch`, at a third of the cost of `FetchHttpClient`, for requests with bodies in
 * memory and responses that are read completely. Follows redirects only if {@link CurrentUpstream} allows it.
 */
export const layer = Layer.sync(HttpClient.HttpClient, () => {
  const send = connected()
  return withSend(client(exchangeBy(send)), () => send)
})
