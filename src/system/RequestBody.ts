import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { InvalidRequest, type Problem, TooLarge, UnsupportedMediaType } from "../api/Problem.ts"

type Request = HttpServerRequest.HttpServerRequest

const json = "application/json"
/** What `curl -d` sends when it is told nothing: such a body is read as JSON too. */
const form = "application/x-www-form-urlencoded"

const readable = (contentType: string) => {
  const essence = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  return essence === json || essence === form || (essence.startsWith("application/") && essence.endsWith("+json"))
}

const tooLarge = (limit: number) => new TooLarge({ detail: `The body is larger than ${limit} bytes.` })

/** A body of unknown length, read no further than it may be long. */
const counted = (source: globalThis.Request, limit: number) =>
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
        catch: () => new InvalidRequest({ detail: "The body could not be read to its end." })
      })
      if (done) return Buffer.concat(chunks)
      size += value.byteLength
      if (size > limit) return yield* tooLarge(limit)
      chunks.push(value)
    }
  }).pipe(Effect.scoped, Effect.interruptible)

/** The request as the handlers may have it: its body is JSON by name and not larger than it may be. */
export const checked = (request: Request, limit: number): Effect.Effect<Request, Problem> => {
  const contentType = request.headers["content-type"]
  const length = request.headers["content-length"]
  const encoding = request.headers["content-encoding"]
  if (length !== "0") {
    if (contentType !== undefined && !readable(contentType)) {
      return new UnsupportedMediaType({ detail: `The body must be ${json}, not ${contentType.slice(0, 100)}.` })
    }
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
      return new UnsupportedMediaType({ detail: `The body must not be compressed (${encoding.slice(0, 100)}).` })
    }
  }
  const headers = contentType === json ? request.headers : Headers.set(request.headers, "content-type", json)
  if (length !== undefined) {
    return Number(length) > limit
      ? tooLarge(limit)
      : Effect.succeed(headers === request.headers ? request : request.modify({ headers }))
  }
  const { method, signal, url } = request.source as globalThis.Request
  return Effect.map(counted(request.source as globalThis.Request, limit), (body) =>
    HttpServerRequest.fromWeb(new globalThis.Request(url, { method, signal, body })).modify({
      url: request.url,
      headers
    })
  )
}
