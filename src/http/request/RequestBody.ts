import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { InvalidRequest, type Problem, TooLarge, UnsupportedMediaType } from "../../contract/Problem.ts"
import * as Task from "../../kernel/Task.ts"

type ServerRequest = HttpServerRequest.HttpServerRequest

const json = "application/json"
/** What `curl -d` sends by default: such a body is read as JSON too. */
const form = "application/x-www-form-urlencoded"

const readable = (contentType: string) => {
  const essence = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  return essence === json || essence === form || (essence.startsWith("application/") && essence.endsWith("+json"))
}

/** What a body may take. */
export interface BodyLimits {
  /** The longest body, bytes. */
  readonly limit: number
  /** Reserves memory for a body of this length; why there is none. */
  readonly reserve: (bytes: number) => Problem | undefined
}

/** Memory for a body of unknown length is reserved in steps of this size, bytes. */
const step = 65_536

const tooLarge = (limit: number) => new TooLarge({ detail: `The body is larger than ${limit} bytes.` })

const unfinished = () => new InvalidRequest({ detail: "The body could not be read to its end." })

/** A body of unknown length, read no further than it may be long. */
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

/** Why a body with these fields is not read: it is something else than JSON, or larger than it may be. */
const refusal = (header: (name: string) => string | undefined, { limit, reserve }: BodyLimits): Problem | undefined => {
  const length = header("content-length")
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

/** The text of a body that is JSON by name and not larger than it may be; counted, in a fiber, where its length is not known. */
export const text = (
  source: globalThis.Request,
  limits: BodyLimits,
  ofEffect: Task.OfEffect
): Task.Task<string, Problem> => {
  const { headers } = source
  const refused = refusal((name) => headers.get(name) ?? undefined, limits)
  if (refused !== undefined) return Task.ended(Exit.fail(refused))
  return headers.has("content-length")
    ? Task.ofPromise(() => source.text(), unfinished)
    : ofEffect(Effect.map(counted(source, limits), (body) => decoder.decode(body)))
}

/** The text of the body of a request that may be read; the platform's own takes a fiber, to keep it for a second reader. */
export const readText = ({ source }: ServerRequest): Effect.Effect<string, Problem> =>
  // A deadline ends a request only where it can be interrupted.
  Effect.interruptible(Effect.tryPromise({ try: () => (source as globalThis.Request).text(), catch: unfinished }))

/** The request, whose body was read and is this text. */
export const withText = (request: ServerRequest, text: string): ServerRequest =>
  Object.defineProperty(request, "text", { value: Effect.succeed(text) })

/** A request with an unusable Host has no URL; this one is never looked at. */
const anyUrl = "http://localhost/"

/** The request as the handlers may have it: its body is JSON by name and not larger than it may be. */
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
