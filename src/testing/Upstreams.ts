import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { Defects } from "../sandbox/Defects.ts"
import * as Limits from "../sandbox/limits/Limits.ts"
import { callOf } from "../sandbox/limits/Provider.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"
import * as FetchClient from "../upstream/FetchClient.ts"
import * as Replay from "../upstream/record/Replay.ts"
import { type CallOutcome, edited, isBatch, reversed } from "./editedCalls.ts"
import { type Fault, problemOf } from "./Fault.ts"
import { Interceptors } from "./Interceptors.ts"
import { requestOf, type UpstreamRequest } from "./UpstreamRequest.ts"

export type { Fault } from "./Fault.ts"

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

/** Thrown by a mock, an edit or their Effect, breaks the connection. Any other error fails the test. */
export class BrokenConnection extends Error {
  override readonly name = "BrokenConnection"
}

/**
 * An upstream by its name in `/networks` and the metrics (`coingecko`, `ethereum-rpc`) or its host
 * (`api.coingecko.com`), or a predicate over the requests of all upstreams.
 */
export type Where = string | ((request: UpstreamRequest) => boolean)

/** A value, or a promise or an Effect of it. */
type Later<A> = A | Promise<A> | Effect.Effect<A, BrokenConnection>

const later = <A>(value: Later<A>): Effect.Effect<A, BrokenConnection> =>
  Effect.isEffect(value) ? value : Effect.promise(() => Promise.resolve(value))

type Exchanged = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** A request to an interceptor. */
interface Intercepted {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
  readonly outgoing: UpstreamRequest
  /** The response without the interceptor. */
  readonly forwarded: Exchanged
  /** Marks the interceptor as used. */
  readonly use: () => void
  /** The response that code of the test returns. */
  readonly answered: (code: Effect.Effect<Response, BrokenConnection>) => Exchanged
}

/** The call of an interceptor in the test. */
const nameOf = (kind: string, where: Where, ...more: ReadonlyArray<string>) =>
  `${kind}(${[where, ...more].map((part) => (typeof part === "string" ? JSON.stringify(part) : "…")).join(", ")})`

/** Intercepts the requests to an upstream. A `problem` with its arguments fails the service. */
const intercept =
  (name: string, where: Where, exchange: (intercepted: Intercepted) => Exchanged, problem?: string) =>
  <E, R>(upstreams: Layer.Layer<HttpClient.HttpClient, E, R>): Layer.Layer<HttpClient.HttpClient, E, R> =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.gen(function* () {
        const others = yield* HttpClient.HttpClient
        const defects = yield* Defects
        const upstream = typeof where === "string" ? where : undefined
        const interceptor = { name, upstream, problem, isUsed: false }
        const { add } = yield* Interceptors
        add(interceptor)
        const fits =
          typeof where === "string"
            ? ({ upstream }: UpstreamRequest, { host }: URL) => upstream === where || host === where
            : where
        return FetchClient.client((request, url) => {
          const failed = (error: unknown) => {
            if (error instanceof BrokenConnection) return unreachable(request, error.message)
            return defects.respond({ by: `Upstreams.${name}`, request, url, error })
          }
          const answered: Intercepted["answered"] = (code) =>
            Effect.flatMap(code, usable).pipe(
              Effect.catchAllCause((cause) =>
                Cause.isInterruptedOnly(cause) ? Effect.interrupt : failed(Cause.squash(cause))
              ),
              Effect.zip(Effect.runtime()),
              Effect.flatMap(([response, runtime]) =>
                FetchClient.received(
                  request,
                  watched(response, (error) => Runtime.runPromise(runtime)(Effect.exit(failed(error))))
                )
              )
            )
          return Effect.flatMap(CurrentUpstream, (caller) => {
            const outgoing = requestOf(caller.name, request, url)
            const forwarded = others.execute(request)
            const use = () => {
              interceptor.isUsed = true
            }
            return Effect.matchEffect(Effect.try({ try: () => fits(outgoing, url), catch: (error) => error }), {
              onFailure: (error) => answered(Effect.die(error)),
              onSuccess: (isHere) =>
                isHere ? exchange({ request, url, outgoing, forwarded, use, answered }) : forwarded
            })
          })
        })
      })
    ).pipe(Layer.provide(upstreams))

/** Fails for values that are not a response with an unread body: mistakes that would look like a broken connection. */
const usable = (response: Response): Effect.Effect<Response> => {
  if (!(response instanceof Response)) return Effect.die(new TypeError("it returned no Response"))
  return response.bodyUsed
    ? Effect.die(new TypeError("it returned a Response whose body was read before; return a new Response each time"))
    : Effect.succeed(response)
}

/** Reports an error of the body, which is read later: a mistake that would look like a broken connection. */
const watched = (response: Response, report: (error: unknown) => Promise<unknown>): Response => {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      reader.read().then(
        ({ done, value }) => (done ? controller.close() : controller.enqueue(value)),
        (error: unknown) => report(error).then(() => controller.error(error))
      ),
    cancel: (reason) => reader.cancel(reason)
  })
  return new Response(body, response)
}

const webRequest = (request: HttpClientRequest.HttpClientRequest, url: URL) =>
  new Request(url.href, {
    method: request.method,
    headers: request.headers,
    ...(request.body._tag === "Uint8Array" ? { body: request.body.body.slice().buffer } : {})
  })

/** Statuses whose responses have no body (RFC 9110). */
const bodiless = [204, 205, 304]

/** Reads a response; the result creates equal responses of the platform. */
const copies = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (bytes) => {
    const { "content-encoding": _, "content-length": __, ...headers } = response.headers
    const { status } = response
    return () => new Response(bodiless.includes(status) ? null : bytes.slice(0), { status, headers })
  })

/**
 * Replaces an upstream with a function. `next` returns the response without the mock: of an earlier step of the pipe,
 * for example the sandbox. An error that the function throws fails the test, except a {@link BrokenConnection}.
 */
export const mock = (where: Where, respond: (request: Request, next: () => Promise<Response>) => Later<Response>) =>
  intercept(nameOf("mock", where), where, ({ answered, forwarded, request, url, use }) =>
    Effect.flatMap(Effect.runtime(), (runtime) => {
      use()
      const original = Effect.flatMap(forwarded, copies).pipe(
        Effect.mapBoth({ onSuccess: (copy) => copy(), onFailure: ({ message }) => new BrokenConnection(message) })
      )
      // `runPromise` rejects with a FiberFailure, which hides the broken connection.
      const next = () =>
        Runtime.runPromise(runtime)(Effect.either(original)).then(
          Either.match({ onLeft: (error) => Promise.reject(error), onRight: (response) => Promise.resolve(response) })
        )
      return answered(Effect.suspend(() => later(respond(webRequest(request, url), next))))
    })
  )

/** A request, and the response without the edit. */
export interface EditedExchange {
  readonly request: UpstreamRequest
  readonly response: Response
}

/**
 * Changes the responses of an upstream. The function returns the given response, also after reading its body, or
 * another. It is not called if there is no response.
 */
export const edit = (where: Where, change: (exchange: EditedExchange) => Later<Response>) =>
  intercept(nameOf("edit", where), where, ({ answered, forwarded, outgoing, use }) => {
    use()
    return Effect.flatMap(Effect.flatMap(forwarded, copies), (copy) => {
      const response = copy()
      const changed = Effect.suspend(() => later(change({ request: outgoing, response })))
      return answered(Effect.map(changed, (result) => (result === response ? copy() : result)))
    })
  })

/** A JSON-RPC call, and its outcome without the edit. */
export interface EditedCall extends CallOutcome {
  /** The request that contains the call, alone or in a batch. */
  readonly request: UpstreamRequest
  readonly params: unknown
}

/**
 * Changes the outcomes of calls of a JSON-RPC method. The function returns the given call, or another result or error.
 * It gets each call of a batch on its own; the other calls of the batch are not changed.
 */
export const editCall = (where: Where, method: string, change: (call: EditedCall) => Later<CallOutcome>) =>
  intercept(nameOf("editCall", where, method), where, ({ answered, forwarded, outgoing, use }) =>
    outgoing.body.includes(method)
      ? Effect.flatMap(Effect.flatMap(forwarded, copies), (copy) =>
          answered(
            Effect.promise(() => copy().text()).pipe(
              Effect.flatMap((text) =>
                edited(outgoing.body, text, method, (params, outcome) => {
                  use()
                  return Effect.suspend(() => later(change({ request: outgoing, params, ...outcome })))
                })
              ),
              Effect.map((text) => {
                const { headers, status } = copy()
                return text === undefined ? copy() : new Response(text, { status, headers })
              })
            )
          )
        )
      : forwarded
  )

const page = "<!doctype html><title>Checking your browser</title><p>One moment, please."

/** Makes an upstream fail in this way. */
export const fault = (where: Where, kind: Fault) =>
  intercept(
    nameOf("fault", where),
    where,
    ({ forwarded, outgoing, request, url, use }) => {
      const answered = (body: string, init?: ResponseInit) => FetchClient.received(request, new Response(body, init))
      const rewritten = (change: (text: string) => string) =>
        Effect.flatMap(forwarded, (response) =>
          Effect.flatMap(response.text, (text) =>
            answered(change(text), {
              status: response.status,
              headers: { "content-type": response.headers["content-type"] ?? "application/json" }
            })
          )
        )
      if (kind === "reordered" && !isBatch(outgoing.body)) return forwarded
      use()
      switch (kind) {
        case "hang":
          return Effect.never
        case "reset":
          return unreachable(request, "the connection was reset")
        case "html":
          return answered(page, { headers: { "content-type": "text/html" } })
        case "truncated":
          return rewritten((text) => text.slice(0, Math.floor(text.length / 2)))
        case "reordered":
          return rewritten(reversed)
        default:
          if ("slow" in kind) return Effect.delay(forwarded, kind.slow)
          if ("limited" in kind) {
            const refusal = Limits.refusal(outgoing.upstream, kind.limited, callOf(request, url))
            return FetchClient.received(request, refusal ?? new Response("", { status: 429 }))
          }
          return answered("", { status: kind.status, headers: kind.headers ?? {} })
      }
    },
    problemOf(kind)
  )
