import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as FetchClient from "../../src/upstream/FetchClient.ts"

/** A request sent to an upstream. */
export interface SentRequest {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Aborted when the request is cancelled. */
  readonly signal: AbortSignal
}

/** An upstream's response to a request; a failure means that the connection failed. */
export type Reply = Effect.Effect<Response, unknown>

/** An HTTP client that responds from memory. `requests` lists the sent requests in order. */
export const simulatedClient = (handler: (request: SentRequest) => Reply) => {
  const requests: Array<SentRequest> = []
  const client = HttpClient.make((request, url, signal) =>
    Effect.suspend(() => {
      const sent = { method: request.method, url, headers: { ...request.headers }, body: bodyText(request), signal }
      requests.push(sent)
      return handler(sent)
    }).pipe(
      Effect.mapError((cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })),
      Effect.flatMap((response) => FetchClient.received(request, response))
    )
  )
  return { requests, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

/**
 * The same for services that read the newest block of a source once in some minutes, before they use it: `head` replies
 * with a block of now (ms), and `requests` omits these requests.
 */
export const clientWithHeads = (
  head: (request: SentRequest, now: number) => Reply | undefined,
  handler: (request: SentRequest) => Reply
) => {
  const requests: Array<SentRequest> = []
  const { layer } = simulatedClient((request) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const reply = head(request, now)
      if (reply !== undefined) return reply
      requests.push(request)
      return handler(request)
    })
  )
  return { requests, layer }
}

/** The same, also for calls without a fiber; `direct` lists their requests. */
export const answeringDirectly = (handler: (request: SentRequest) => Reply) => {
  const { layer, requests } = simulatedClient(handler)
  const direct: Array<SentRequest> = []
  const sendBy =
    (clock: Clock.Clock): FetchClient.Send =>
    (url, { body, headers, method, signal }) => {
      const sent = {
        method,
        url,
        headers: headers as Readonly<Record<string, string>>,
        body: String(body),
        signal: signal ?? new AbortController().signal
      }
      requests.push(sent)
      direct.push(sent)
      return Effect.runPromiseExit(Effect.withClock(handler(sent), clock), { signal: sent.signal }).then((exit) =>
        Exit.isSuccess(exit) ? FetchClient.readIfSmall(exit.value) : Promise.reject(Cause.squash(exit.cause))
      )
    }
  return {
    requests,
    direct,
    layer: Layer.effect(
      HttpClient.HttpClient,
      Effect.zipWith(HttpClient.HttpClient, Effect.clock, (client, clock) =>
        FetchClient.withSend(client, () => sendBy(clock))
      )
    ).pipe(Layer.provide(layer))
  }
}

/** Returns the replies in order, and repeats the last reply. */
export const repliesInOrder = (...replies: readonly [Reply, ...ReadonlyArray<Reply>]) => {
  let next = 0
  return (): Reply => replies[Math.min(next++, replies.length - 1)] ?? replies[0]
}

/** Uses a separate handler per host, and refuses connections to all other hosts. */
export const byHost =
  (hosts: Readonly<Record<string, (request: SentRequest) => Reply>>) =>
  (request: SentRequest): Reply =>
    hosts[request.url.host]?.(request) ?? refused

interface Init {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export const text = (body: string | null, init: Init = {}): Reply => Effect.sync(() => new Response(body, init))

export const json = (body: unknown, init: Init = {}): Reply =>
  text(JSON.stringify(body), { ...init, headers: { "content-type": "application/json", ...init.headers } })

/** Never responds. */
export const neverResponds: Reply = Effect.never

/** Refuses the connection. */
export const refused: Reply = Effect.fail({ code: "ECONNREFUSED" })

/** Sends the start of a body and then breaks the connection. */
export const brokenBody = (begin: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  Effect.sync(
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(begin))
          },
          pull(controller) {
            controller.error(new Error("socket hang up"))
          }
        }),
        { headers }
      )
  )

/** Sends the start of a body and then stalls. */
export const stalled = (begin: string): Reply =>
  Effect.sync(
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(begin))
          }
        })
      )
  )

/** An endless body. `sent` counts its bytes; `cancelled` is true when the reader has cancelled it. */
export const flood = () => {
  const seen = { sent: 0, cancelled: false }
  const part = new Uint8Array(1024 * 1024).fill(0x20)
  const reply: Reply = Effect.sync(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            seen.sent += part.length
            controller.enqueue(part)
          },
          cancel() {
            seen.cancelled = true
          }
        })
      )
  )
  return { reply, seen }
}

const bodyText = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
