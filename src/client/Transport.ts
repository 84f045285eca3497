import { parsed, textOf } from "./bodies.ts"
import { Call, type ClientResponse } from "./Call.ts"
import { type CallOptions, checkedCall, type Settings } from "./ClientOptions.ts"
import { type CachedResponse, etagCache } from "./etagCache.ts"
import { errorOf, hasType, isData, partialFailuresIn, withSideEffect } from "./failures.ts"
import { type Guard, guard } from "./guard.ts"
import { pause, retryDelayOf } from "./retries.ts"
import { disconnected, sendable, unsendable, unusable } from "./WalletDataError.ts"

/** One request. */
export interface SentRequest {
  readonly method: "GET" | "POST"
  /** Includes the query. */
  readonly path: string
  /** JSON. */
  readonly body?: string
  readonly accept?: "application/x-ndjson"
  /** Whether the request may be retried: repeating it has no side effect. */
  readonly repeatable: boolean
  /** Bodies with this member, and lists of such, are data at any status: they show whether the call failed. */
  readonly dataHas?: string
  /** Returns the body as text instead of JSON. It must have this type, and be whole: an end that is cut off is noticed. */
  readonly text?: { readonly type: string; readonly isWhole: (text: string) => boolean }
}

/** Builds a request. May throw: its values are what a caller passed. */
export type Build = () => SentRequest

export interface Transport {
  readonly call: <A>(build: Build, options?: CallOptions) => Call<A>
  /** Returns a response whose body is not read yet. */
  readonly open: (build: Build, options?: CallOptions) => Promise<Response>
  readonly settings: Settings
}

const respond = async (
  { apiKey, baseUrl, fetch }: Settings,
  { accept, body, method, path }: SentRequest,
  limit: Guard,
  etag: string | undefined
): Promise<Response> => {
  // `limit.waitFor` then rejects with the reason.
  if (limit.signal.aborted) return new Promise(() => {})
  const headers: Record<string, string> = { accept: accept ?? "application/json" }
  if (body !== undefined) headers["content-type"] = "application/json"
  if (apiKey !== undefined) headers["x-api-key"] = apiKey
  if (etag !== undefined) headers["if-none-match"] = etag
  const init: RequestInit = { method, headers, signal: limit.signal, redirect: "manual" }
  if (body !== undefined) init.body = body
  // A `fetch` that throws, instead of returning a promise that fails, has sent nothing.
  return sendable(() => fetch(baseUrl + path, init))
}

/** Whether `fetch` refused to connect to the port, as Node says it. */
export const isBlocked = (error: unknown) => (error as { cause?: Error } | null)?.cause?.message === "bad port"

/** Sends a request. Fails on a redirect. */
const sendOnce = async (settings: Settings, sent: SentRequest, limit: Guard, etag?: string): Promise<Response> => {
  const response = await limit.waitFor(respond(settings, sent, limit, etag)).catch((cause) => {
    throw isBlocked(cause) ? unsendable(cause) : disconnected(cause)
  })
  const { status, type } = response
  // Following a redirect would send the API key to its target.
  if (type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)) {
    response.body?.cancel().catch(() => {})
    throw unusable("The service returned a redirect, which is not followed: is baseUrl the service's own URL?")
  }
  return response
}

const built = (build: Build): SentRequest =>
  sendable(() => {
    const sent = build()
    // URLs would leave such segments out, and so name another route.
    if (/\/\.\.?(?![^/?])/.test(sent.path)) throw new TypeError("a path cannot have . or ..")
    return sent
  })

type Reader<A> = (sent: SentRequest, limit: Guard) => Promise<ClientResponse<A>>

/** Retries a repeatable request after errors that may be temporary. */
const withRetries = async <A>(
  settings: Settings,
  build: Build,
  options: CallOptions,
  run: (sent: SentRequest, limit: Guard) => Promise<A>
): Promise<A> => {
  const { signal, timeout } = checkedCall(options, settings)
  const sent = built(build)
  for (let attempt = 0; ; attempt++) {
    const limit = guard(timeout, signal)
    const isSent = !limit.signal.aborted
    try {
      return await run(sent, limit)
    } catch (error) {
      if (!sent.repeatable) throw isSent ? withSideEffect(error) : error
      const delay = retryDelayOf(error, attempt, settings)
      if (delay === undefined) throw error
      limit.stop()
      await pause(delay, signal)
    } finally {
      limit.stop()
    }
  }
}

export const make = (settings: Settings): Transport => {
  const tagged = etagCache(settings.cache)

  const read = async (sent: SentRequest, limit: Guard): Promise<ClientResponse<unknown>> => {
    const before = sent.method === "GET" && sent.repeatable ? tagged.find(sent.path) : undefined
    const response = await sendOnce(settings, sent, limit, before?.etag)
    const confirmed = response.status === 304 ? before : undefined
    const { bytes, text } = await textOf(response, limit, settings.maxBytes)
    const { headers, status } = response
    if (confirmed === undefined && !response.ok && !isData(text, sent.dataHas)) throw errorOf(response, text)
    const missing = headers.get("x-partial-failures")
    const etag = headers.get("etag")
    const answer: CachedResponse = confirmed ?? { etag: etag ?? "", text, bytes, missing }
    if (sent.text && !(hasType(response, sent.text.type) && sent.text.isWhole(text)))
      throw unusable(`The response is not ${sent.text.type}, or is cut off`)
    const data = sent.text ? answer.text : status === 204 ? undefined : parsed(answer.text)
    if (sent.method === "GET" && sent.repeatable && etag !== null && response.ok) tagged.store(sent.path, answer)
    return {
      data,
      status,
      headers,
      requestId: headers.get("x-request-id") ?? undefined,
      partialFailures: partialFailuresIn(missing ?? answer.missing),
      cached: confirmed !== undefined
    }
  }

  return {
    settings,
    call: <A>(build: Build, options: CallOptions = {}) =>
      new Call<A>(withRetries(settings, build, options, read as Reader<A>)),
    open: (build, options = {}) =>
      withRetries(settings, build, options, async (sent, limit) => {
        const response = await sendOnce(settings, sent, limit)
        if (!response.ok) throw errorOf(response, (await textOf(response, limit, settings.maxBytes)).text)
        return response
      })
  }
}
