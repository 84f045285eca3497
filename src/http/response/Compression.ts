import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import * as Task from "../../kernel/Task.ts"

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

/** Calls back with the compressed body; undefined if that fails. */
type Compress = (body: Uint8Array, encoding: Encoding, done: (smaller: Uint8Array | undefined) => void) => void

/**
 * Compresses in a thread of the runtime. A name server that does not respond, or a disk, may hold all threads:
 * https://github.com/oven-sh/bun/pull/40642.
 */
const inThread: Compress = (body, encoding, done) => {
  const settled = (error: Error | null, smaller: Uint8Array) => done(error === null ? smaller : undefined)
  switch (encoding) {
    case "zstd":
      Bun.zstdCompress(body, { level: 3 }).then(done, () => done(undefined))
      break
    case "br":
      brotliCompress(body, brotli, settled)
      break
    case "gzip":
      gzip(body, { level: 6 }, settled)
  }
}

/** Up to this size, compression takes less time than passing the body to another thread. */
export const maxSyncBytes = 32 * 1024

/** Longest wait for a thread, ms: with this much time left for the response, ms. */
export const maxWait = (left: number) => Math.min(250, left / 10)

/** Number of responses that were sent plain because no thread was free in time, and whose compression still waits. */
let overdue = 0

type ServerResponse = HttpServerResponse.HttpServerResponse

/** Adds a name to a list of header field names, unless the list has it. */
export const varying = (before: string | undefined, by: string) => {
  if (before === undefined || before === "") return by
  return before.split(/\s*,\s*/).includes(by) ? before : `${before}, ${by}`
}

const varies = (response: ServerResponse) => response.headers.vary?.includes("accept-encoding") === true

const encoded = (response: ServerResponse, { body, encoding }: EncodedBody) =>
  encoding === undefined
    ? response
    : HttpServerResponse.setHeader(
        HttpServerResponse.setBody(response, HttpBody.uint8Array(body, response.headers["content-type"])),
        "content-encoding",
        encoding
      )

/**
 * Compresses the response if the client accepts it and it takes at most `maxWait` ms. Streams, small bodies and encoded
 * bodies stay unchanged.
 */
export const apply = (
  response: ServerResponse,
  accepted: string | undefined,
  maxWait: number
): Effect.Effect<ServerResponse> => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.body.byteLength < minCompressedBytes || varies(response))
    return Effect.succeed(response)
  const varied = HttpServerResponse.setHeader(response, "vary", varying(response.headers.vary, "accept-encoding"))
  const encoding = response.headers["content-encoding"] === undefined ? negotiate(accepted) : undefined
  return encoding === undefined
    ? Effect.succeed(varied)
    : Effect.map(forms(body.body).get(encoding, maxWait), (form) => encoded(varied, form))
}

/** A body in one encoding; undefined for plain. */
export interface EncodedBody {
  readonly encoding: Encoding | undefined
  readonly body: Uint8Array
}

/** Encodings of a body that never changes; each is created at its first request and cached. */
export const forms = (body: Uint8Array, compress: Compress = inThread) => {
  const plain: EncodedBody = { encoding: undefined, body }
  const made = new Map<Encoding | undefined, EncodedBody>([[undefined, plain]])
  const making = new Map<Encoding, SingleFlight.Run<EncodedBody>>()

  const add = (encoding: Encoding, smaller: Uint8Array): EncodedBody => {
    const form = { encoding, body: smaller }
    made.set(encoding, form)
    return form
  }

  const begin = (encoding: Encoding) => {
    const run = SingleFlight.single<EncodedBody>()
    making.set(encoding, run)
    compress(body, encoding, (smaller) => {
      making.delete(encoding)
      run.complete(Exit.succeed(smaller === undefined ? plain : add(encoding, smaller)))
    })
    return run
  }

  /** Compresses synchronously if necessary: for bodies that are small or built synchronously. */
  const now = (encoding: Encoding | undefined): EncodedBody => {
    const before = made.get(encoding)
    return before ?? (encoding === undefined ? plain : add(encoding, compressNow(body, encoding)))
  }

  return {
    now,
    /** The body in this encoding, if it exists already; otherwise undefined. */
    made: (encoding: Encoding | undefined) => made.get(encoding),
    /**
     * Returns the body in this encoding, or plain if it takes longer than `maxWait` ms; later requests then get the
     * compressed body once it exists. Concurrent requests share one compression.
     */
    get: (encoding: Encoding | undefined, maxWait: number): Effect.Effect<EncodedBody> =>
      Effect.clockWith((clock) => {
        if (made.has(encoding) || body.byteLength <= maxSyncBytes) return Effect.succeed(now(encoding))
        if (encoding === undefined || overdue > 0 || maxWait < 1) return Effect.succeed(plain)
        const { wait } = making.get(encoding) ?? begin(encoding)
        const late = () => {
          overdue++
          wait(() => overdue--)
          return Exit.succeed(plain)
        }
        return Task.toEffect(Task.timeout(clock, maxWait, wait, late))
      })
  }
}
