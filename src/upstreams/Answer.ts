import type * as Headers from "@effect/platform/Headers"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Fault } from "./UpstreamError.ts"

/** What came back over HTTP, whatever its status, read to the end. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** From Retry-After (seconds or a date), ms. */
  readonly retryAfter: number | undefined
}

/** Finds the value in an answer, or says what is wrong with it. */
export type Interpreter<A> = (answer: Answer) => Either.Either<A, Fault>

/** More than any upstream has to say; an answer that goes on is cut off and refused. */
export const maxAnswerBytes = 64 * 1024 * 1024

/** An answer that says that it is no longer than this is read in one go, bytes. */
export const knownSmall = 1024 * 1024

/** Reads the body to the end, within {@link maxAnswerBytes}. */
export const read = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Answer, Fault> => {
  const { status } = response
  // Made anew whenever they are asked for.
  const headers = response.headers
  const text = body(response, headers)
  const wish = headers["retry-after"]
  return wish === undefined
    ? Effect.map(text, (text) => ({ status, text, retryAfter: undefined }))
    : Effect.zipWith(text, Clock.currentTimeMillis, (text, now) => ({
        status,
        text,
        retryAfter: retryAfterMillis(wish, now)
      }))
}

const body = (
  response: HttpClientResponse.HttpClientResponse,
  headers: Headers.Headers
): Effect.Effect<string, Fault> => {
  const length = Number(headers["content-length"] ?? Number.NaN)
  if (length <= knownSmall && headers["content-encoding"] === undefined)
    return Effect.mapError(response.text, () => brokenOff)
  return response.stream.pipe(
    // Before it runs: a stream that fails writes its error, which holds the address, to the log.
    Stream.catchAll((error) => (error.reason === "EmptyBody" ? Stream.empty : Stream.fail(brokenOff))),
    Stream.runFoldEffect({ size: 0, parts: [] as Array<Uint8Array> }, (read, part) => {
      read.parts.push(part)
      const size = read.size + part.length
      return size > maxAnswerBytes ? Effect.fail(tooLarge) : Effect.succeed({ size, parts: read.parts })
    }),
    Effect.map(({ parts }) => new TextDecoder().decode(Buffer.concat(parts)))
  )
}

export const brokenOff: Fault = {
  reason: "upstream_error",
  detail: "closed the connection before the response was complete"
}
const tooLarge: Fault = { reason: "bad_answer", detail: "returned a response that is too large" }

/** Nobody means a longer rest than a day. */
const longestRetryAfter = 24 * 60 * 60 * 1000

/** RFC 9110 §10.2.3: seconds, or an HTTP date. */
const retryAfterMillis = (header: string, now: number): number | undefined => {
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header) * 1000, longestRetryAfter)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestRetryAfter)
}

const notJson = (answer: Answer): Fault => ({
  reason: "bad_answer",
  detail: answer.text === "" ? "returned an empty response" : "returned a response that is not JSON",
  status: answer.status
})

/** The answer as JSON; text that is none (an HTML page, a cut-off body) is a fault. */
export const json: Interpreter<unknown> = (answer) =>
  Either.try({ try: () => JSON.parse(answer.text) as unknown, catch: () => notJson(answer) })

/** As {@link json}, but integers beyond 2^53 keep all their digits: they are bigint. Several times slower. */
export const exactJson: Interpreter<unknown> = (answer) =>
  Either.try({ try: () => JSON.parse(answer.text, keepDigits) as unknown, catch: () => notJson(answer) })

const keepDigits = function (this: unknown, _key: string, value: unknown, context?: { readonly source: string }) {
  return typeof value === "number" &&
    !Number.isSafeInteger(value) &&
    context !== undefined &&
    /^-?\d+$/.test(context.source)
    ? BigInt(context.source)
    : value
} as (key: string, value: unknown) => unknown

/** Faults told by the HTTP status alone; undefined for 2xx. */
export const statusFault = ({ retryAfter, status }: Answer): Fault | undefined => {
  if (status >= 200 && status < 300) return undefined
  if (status === 429 || (status === 503 && retryAfter !== undefined))
    return { reason: "rate_limited", detail: `rate limit reached (HTTP ${status})`, status, retryAfter }
  if (status === 401 || status === 402 || status === 403)
    return { reason: "upstream_error", detail: `access denied (HTTP ${status})`, status }
  const final = status === 400 || status === 404 || status === 413 || status === 414 || status === 422
  return { reason: "upstream_error", detail: `returned HTTP ${status}`, status, ...(final ? { final } : {}) }
}

/** How the answers of an upstream are read. */
export interface Reading {
  /** Finds a refusal in a body, whatever the HTTP status: many upstreams say no with HTTP 200. */
  readonly refusal?: (body: unknown) => Fault | undefined
  /** Integers beyond 2^53 come as bare JSON numbers: they are read as bigint. */
  readonly exact?: boolean
}

/** A 2xx answer whose JSON fits a schema; with `absent`, a 404 is that value and no fault. */
export const fitting =
  <A, I>(
    schema: Schema.Schema<A, I>,
    { exact = false, refusal = () => undefined }: Reading = {},
    absent?: { readonly value: A }
  ): Interpreter<A> =>
  (answer) => {
    const parsed = exact ? exactJson(answer) : json(answer)
    const refused = Either.isRight(parsed) ? refusal(parsed.right) : undefined
    if (refused === undefined && absent !== undefined && answer.status === 404) return Either.right(absent.value)
    const fault = refused ?? statusFault(answer)
    if (fault !== undefined)
      return Either.left({ status: answer.status, ...fault, retryAfter: fault.retryAfter ?? answer.retryAfter })
    return Either.flatMap(parsed, (body) =>
      Either.mapLeft(Schema.decodeUnknownEither(schema)(body), (error) => ({
        reason: "bad_answer" as const,
        detail: `returned a response in an unexpected format${where(error)}`,
        status: answer.status
      }))
    )
  }

/** Where a decoding failed, as a path of members; never the value itself. */
const where = (error: ParseResult.ParseError): string => {
  const path = ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.path ?? []
  return path.length === 0 ? "" : ` (at ${path.map(String).join(".")})`
}
