import { brotliCompress, constants, gzip, gzipSync } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

/** In the order of preference: the cheapest to make first. */
const encodings = ["zstd", "br", "gzip"] as const
type Encoding = (typeof encodings)[number]

/** Below this a body fits a packet or two anyway. */
const worthwhile = 1024

const quality = (parameters: string) => {
  const found = /;\s*q=([0-9.]+)/.exec(parameters)
  return found === null ? 1 : Number(found[1])
}

/** The encoding a client likes best, and the preferred one among equals; undefined for none. */
const negotiate = (accepted: string | undefined): Encoding | undefined => {
  if (accepted === undefined || accepted === "") return undefined
  const qualities = new Map(
    accepted.split(",").map((part) => [(part.split(";", 1)[0] ?? "").trim().toLowerCase(), quality(part)] as const)
  )
  const of = (name: string) => qualities.get(name) ?? qualities.get("*") ?? 0
  const plain = qualities.get("identity") ?? 0
  return encodings
    .filter((name) => of(name) > 0 && of(name) >= plain)
    .reduce<Encoding | undefined>((best, name) => (best === undefined || of(name) > of(best) ? name : best), undefined)
}

const called = (compress: (done: (error: Error | null, result: Uint8Array) => void) => void) =>
  Effect.async<Uint8Array>((resume) =>
    compress((error, result) => resume(error === null ? Effect.succeed(result) : Effect.die(error)))
  )

/** Up to here it takes less time than handing it to another thread. */
const small = 32 * 1024

const compress = (body: Uint8Array, encoding: Encoding): Effect.Effect<Uint8Array> => {
  switch (encoding) {
    case "zstd":
      return body.byteLength > small
        ? Effect.promise(() => Bun.zstdCompress(body, { level: 3 }))
        : Effect.sync(() => Bun.zstdCompressSync(body, { level: 3 }))
    case "br": {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 4 }
      return called((done) => brotliCompress(body, { params }, done))
    }
    case "gzip":
      return body.byteLength > small
        ? called((done) => gzip(body, { level: 6 }, done))
        : Effect.sync(() => gzipSync(body, { level: 6 }))
  }
}

type Response = HttpServerResponse.HttpServerResponse

const varying = (response: Response) => {
  const before = response.headers.vary
  return HttpServerResponse.setHeader(
    response,
    "vary",
    before === undefined ? "accept-encoding" : `${before}, accept-encoding`
  )
}

const encoded = (response: Response, body: Uint8Array, encoding: Encoding) =>
  HttpServerResponse.setHeader(
    HttpServerResponse.setBody(response, HttpBody.uint8Array(body, response.headers["content-type"])),
    "content-encoding",
    encoding
  )

/** The answer as the client can take it; streams, small bodies and what is compressed already stay as they are. */
export const apply = (response: Response, accepted: string | undefined): Effect.Effect<Response> => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.body.byteLength < worthwhile) return Effect.succeed(response)
  const varied = varying(response)
  const encoding = response.headers["content-encoding"] === undefined ? negotiate(accepted) : undefined
  return encoding === undefined
    ? Effect.succeed(varied)
    : Effect.map(compress(body.body, encoding), (smaller) => encoded(varied, smaller, encoding))
}

/** A body that never changes: each encoding of it is made once, when it is first asked for. */
export const once = (body: Uint8Array, contentType: string) =>
  Effect.gen(function* () {
    const plain = HttpServerResponse.uint8Array(body, { contentType })
    const made = yield* Effect.all(
      encodings.map((encoding) =>
        Effect.map(
          Effect.cached(Effect.map(compress(body, encoding), (smaller) => encoded(plain, smaller, encoding))),
          (response) => [encoding, response] as const
        )
      )
    )
    const byEncoding = new Map<Encoding | undefined, Effect.Effect<Response>>(made)
    return (accepted: string | undefined) => byEncoding.get(negotiate(accepted)) ?? Effect.succeed(plain)
  })
