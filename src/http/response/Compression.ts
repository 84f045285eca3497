import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as SingleFlight from "../../kernel/SingleFlight.ts"

/** In order of preference: the cheapest to compress first. */
const encodings = ["zstd", "br", "gzip"] as const
export type Encoding = (typeof encodings)[number]

/** Smaller bodies fit into one or two packets and are not compressed. */
export const minCompressedBytes = 1024

const quality = (parameters: string) => {
  const found = /;\s*q=([0-9.]+)/i.exec(parameters)
  return found === null ? 1 : Number(found[1])
}

/** Length limit: a longer header names more encodings than exist, and the response is not compressed. */
const maxAccepted = 1000

/** Encoding that the client prefers; among equals, the first of {@link encodings}. Undefined for no compression. */
export const negotiate = (accepted: string | undefined): Encoding | undefined => {
  if (accepted === undefined || accepted === "" || accepted.length > maxAccepted) return undefined
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

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Blocks the event loop: for bodies that are small or built rarely. */
export const compressNow = (body: Uint8Array, encoding: Encoding): Uint8Array => {
  switch (encoding) {
    case "zstd":
      return Bun.zstdCompressSync(body, { level: 3 })
    case "br":
      return brotliCompressSync(body, brotli)
    case "gzip":
      return gzipSync(body, { level: 6 })
  }
}

/** Up to this size, compression takes less time than passing the body to another thread. */
export const maxSyncBytes = 32 * 1024

const compress = (body: Uint8Array, encoding: Encoding): Effect.Effect<Uint8Array> => {
  if (encoding === "br") return called((done) => brotliCompress(body, brotli, done))
  if (body.byteLength <= maxSyncBytes) return Effect.sync(() => compressNow(body, encoding))
  return encoding === "zstd"
    ? Effect.promise(() => Bun.zstdCompress(body, { level: 3 }))
    : called((done) => gzip(body, { level: 6 }, done))
}

type ServerResponse = HttpServerResponse.HttpServerResponse

/** Adds a name to a list of header field names, unless the list has it. */
export const varying = (before: string | undefined, by: string) => {
  if (before === undefined || before === "") return by
  return before.split(/\s*,\s*/).includes(by) ? before : `${before}, ${by}`
}

const varies = (response: ServerResponse) => response.headers.vary?.includes("accept-encoding") === true

const encoded = (response: ServerResponse, body: Uint8Array, encoding: Encoding) =>
  HttpServerResponse.setHeader(
    HttpServerResponse.setBody(response, HttpBody.uint8Array(body, response.headers["content-type"])),
    "content-encoding",
    encoding
  )

/** Compresses the response if the client accepts it. Streams, small bodies and encoded bodies stay unchanged. */
export const apply = (response: ServerResponse, accepted: string | undefined): Effect.Effect<ServerResponse> => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.body.byteLength < minCompressedBytes || varies(response))
    return Effect.succeed(response)
  const varied = HttpServerResponse.setHeader(response, "vary", varying(response.headers.vary, "accept-encoding"))
  const encoding = response.headers["content-encoding"] === undefined ? negotiate(accepted) : undefined
  return encoding === undefined
    ? Effect.succeed(varied)
    : Effect.map(compress(body.body, encoding), (smaller) => encoded(varied, smaller, encoding))
}

/** Encodings of a body that never changes; each is created at its first request and cached. */
export const forms = (body: Uint8Array, make: typeof compress = compress) => {
  const made = new Map<Encoding | undefined, Uint8Array>([[undefined, body]])
  const making = SingleFlight.runs<Encoding, Uint8Array>()

  const begin = (encoding: Encoding) => {
    const run = making.begin(encoding)
    return make(body, encoding).pipe(
      Effect.tap((smaller) => Effect.sync(() => made.set(encoding, smaller))),
      Effect.onExit((exit) => Effect.sync(() => run.complete(exit)))
    )
  }
  return {
    /** Returns the body in this encoding, or plain. Concurrent requests share one compression, even if the first ends. */
    get: (encoding: Encoding | undefined): Effect.Effect<Uint8Array> =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const ready = made.get(encoding)
          if (ready !== undefined || encoding === undefined) return Effect.succeed(ready ?? body)
          const run = making.get(encoding)
          return run === undefined ? begin(encoding) : SingleFlight.resultOf(run)
        })
      ),
    /** The same, if it exists already; otherwise undefined. */
    made: (encoding: Encoding | undefined) => made.get(encoding),
    /** The same, compressed synchronously if necessary: for bodies that are small or built rarely. */
    now: (encoding: Encoding | undefined) => {
      const before = encoding === undefined ? body : made.get(encoding)
      if (before !== undefined || encoding === undefined) return before ?? body
      const smaller = compressNow(body, encoding)
      made.set(encoding, smaller)
      return smaller
    }
  }
}

/** Responds with a body that never changes, in the encoding that the client accepts. */
export const once = (body: Uint8Array, contentType: string) => {
  const { get } = forms(body)
  const plain = HttpServerResponse.uint8Array(body, { contentType })
  return (accepted: string | undefined): Effect.Effect<ServerResponse> => {
    const encoding = negotiate(accepted)
    return encoding === undefined
      ? Effect.succeed(plain)
      : Effect.map(get(encoding), (smaller) => encoded(plain, smaller, encoding))
  }
}
