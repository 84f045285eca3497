import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { InvalidRequest, type Problem, TooLarge, UnsupportedMediaType } from "../../contract/Problem.ts"
import * as Task from "../../kernel/Task.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest

const json = "application/json"
/** Default type of `curl -d`; such a body is read as JSON too. */
const form = "application/x-www-form-urlencoded"

const readable = (contentType: string) => {
  const essence = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  return essence === json || essence === form || (essence.startsWith("application/") && essence.endsWith("+json"))
}

export interface BodyLimits {
  /** Maximum size, bytes. */
  readonly limit: number
  /** Reserves memory for a body of this size; returns a problem if the memory is used up. */
  readonly reserve: (bytes: number) => Problem | undefined
}

/** Memory for a body of unknown length is reserved in steps of this size, bytes. */
const step = 65_536

const tooLarge = (limit: number) => new TooLarge({ detail: `The body is larger than ${limit} bytes.` })

const unfinished = () => new InvalidRequest({ detail: "The body could not be read completely." })

/** Reads a body of unknown length, up to the limit. */
const counted = (source: globalThis.Request, { limit, reserve }: BodyLimits) =>
  Effect.gen(function* () {
    const body = source.body
    if (body === null) return new Uint8Array(0)
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => body.getReader()),
      (reader) => Effect.promise(() => reader.cancel().catch(() => {}))
    )
    const chunks: Array<Uint8Array> = []
    let size = 0
    while (true) {
      const { done, value } = yield* Effect.tryPromise({
        try: () => reader.read(),
        catch: unfinished
      })
      if (done) return Buffer.concat(chunks)
      size += value.byteLength
      if (size > limit) return yield* tooLarge(limit)
      const refused = reserve(Math.ceil(size / step) * step)
      if (refused !== undefined) return yield* refused
      chunks.push(value)
    }
  }).pipe(Effect.scoped, Effect.interruptible)

/**
 * Checks the header fields of a body: returns a problem if it is not JSON, compressed or too large. The runtime joins
 * two equal Content-Length fields to `15, 15` (RFC 9112, section 6.3, lets a server reject that).
 */
const refusal = (header: (name: string) => string | undefined, { limit, reserve }: BodyLimits): Problem | undefined => {
  const length = header("content-length")
  if (length !== undefined && !/^\d+$/.test(length))
    return new InvalidRequest({ detail: "The Content-Length header field is not one number." })
  if (length !== "0") {
    const contentType = header("content-type")
    const encoding = header("content-encoding")
    if (contentType !== undefined && contentType !== json && !readable(contentType)) {
      return new UnsupportedMediaType({ detail: `The body must be ${json}, not ${contentType.slice(0, 100)}.` })
    }
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
      return new UnsupportedMediaType({ detail: `The body must not be compressed (${encoding.slice(0, 100)}).` })
    }
  }
  return length !== undefined && Number(length) > limit ? tooLarge(limit) : reserve(Number(length ?? 0))
}

const decoder = new TextDecoder()

/** Reads a body after checking its type and size. A body of unknown length is counted in a fiber. */
export const text = (
  source: globalThis.Request,
  limits: BodyLimits,
  ofEffect: Task.OfEffect
): Task.Task<string, Problem> => {
  const { headers } = source
  const refused = refusal((name) => headers.get(name) ?? undefined, limits)
  if (refused !== undefined) return Task.ended(Exit.fail(refused))
  return headers.has("content-length")
    ? Task.fromPromise(() => source.text(), unfinished)
    : ofEffect(Effect.map(counted(source, limits), (body) => decoder.decode(body)))
}

/** Reads the body of a {@link checked} request. The platform's method starts a fiber, to cache the text for reuse. */
export const readText = ({ source }: ServerRequest): Effect.Effect<string, Problem> =>
  // The deadline can end only an interruptible request.
  Effect.interruptible(Effect.tryPromise({ try: () => (source as globalThis.Request).text(), catch: unfinished }))

/** The request with this text as its body, which was already read. */
export const withText = (request: ServerRequest, text: string): ServerRequest =>
  Object.defineProperty(request, "text", { value: Effect.succeed(text) })

/** Placeholder that is never read: a request with an invalid Host has no URL. */
const anyUrl = "http://localhost/"

/** The request for the handlers, after checks of the type and size of its body. */
export const checked = (request: ServerRequest, limits: BodyLimits): Effect.Effect<ServerRequest, Problem> => {
  const refused = refusal((name) => request.headers[name], limits)
  if (refused !== undefined) return refused
  const contentType = request.headers["content-type"]
  const headers = contentType === json ? request.headers : Headers.set(request.headers, "content-type", json)
  if (request.headers["content-length"] !== undefined)
    return Effect.succeed(headers === request.headers ? request : request.modify({ headers }))
  const { method, signal } = request.source as globalThis.Request
  return Effect.map(counted(request.source as globalThis.Request, limits), (body) =>
    HttpServerRequest.fromWeb(new globalThis.Request(anyUrl, { method, signal, body })).modify({
      url: request.url,
      headers
    })
  )
}
