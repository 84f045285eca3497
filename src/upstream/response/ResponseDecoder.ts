import type * as Headers from "@effect/platform/Headers"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { endOfString, quote } from "../../kernel/text/jsonText.ts"
import { tryOrElse } from "../../kernel/tryOrElse.ts"
import type { Fault } from "../UpstreamError.ts"
import * as BodyBudget from "./BodyBudget.ts"
import * as ResponseSize from "./ResponseSize.ts"

/** Matches a number of 16 digits, the length of the smallest integer beyond 2^53. */
const mayBeUnsafe = /(?:^|[:,[\s])-?\d{16}/

/** First character of a string that represents an integer; a private use character, which no language has. */
const mark = "\ue000"
const mayHaveMark = /\ue000|\\u[eE]000/

/** Maximum number of long integers in a response: more would block the event loop for too long. */
const maxIntegers = 100_000

/** Maximum length for the reviver, which is slower still; only a hostile response contains the mark. */
const maxRevived = 1_000_000

/**
 * Like JSON.parse, but integers beyond 2^53 become bigint, with all their digits. They are parsed as strings and then
 * converted, which takes less than half of the time of a reviver. Undefined if there are too many.
 */
const parseExact = (text: string): unknown => {
  if (!mayBeUnsafe.test(text)) return JSON.parse(text)
  if (mayHaveMark.test(text)) return text.length > maxRevived ? undefined : JSON.parse(text, keepDigits)
  const readable = marked(text)
  return readable === undefined ? undefined : withIntegers(JSON.parse(readable))
}

const minus = 45
const isNumeric = (code: number) => (code >= 48 && code <= 57) || code === minus

const number = /[-+.\w]+/y
const integer = /^-?(?:0|[1-9]\d*)$/

/** Replaces unsafe integers by marked strings; undefined if there are too many. */
const marked = (text: string): string | undefined => {
  let found = ""
  let count = 0
  let taken = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at) - 1
      if (at < 0) break
    } else if (isNumeric(code)) {
      number.lastIndex = at
      const [token = ""] = number.exec(text) ?? []
      if (isUnsafe(token)) {
        if (++count > maxIntegers) return undefined
        found += `${text.slice(taken, at)}"${mark}${token}"`
        taken = at + token.length
      }
      at += Math.max(token.length, 1) - 1
    }
  }
  return taken === 0 ? text : found + text.slice(taken)
}

const isUnsafe = (token: string) => token.length >= 16 && integer.test(token) && !Number.isSafeInteger(Number(token))

/** Replaces marked strings by integers, in place. */
const withIntegers = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = withIntegers(value[index])
  } else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      const read = withIntegers(member)
      // Not an assignment: a member may have the name `__proto__`.
      if (read !== member)
        Object.defineProperty(value, name, { value: read, configurable: true, enumerable: true, writable: true })
    }
  return value
}

const keepDigits = function (this: unknown, _key: string, value: unknown, context?: { readonly source: string }) {
  return typeof value === "number" && context !== undefined && isUnsafe(context.source) ? BigInt(context.source) : value
} as (key: string, value: unknown) => unknown

/** An HTTP response of any status, read to the end. */
export interface UpstreamResponse {
  readonly status: number
  readonly text: string
  /** From Retry-After (seconds or a date), ms. */
  readonly retryAfter: number | undefined
}

/** Decodes a response, or returns its fault. */
export type Decoder<A> = (response: UpstreamResponse) => Either.Either<A, Fault>

/** Responses up to this length are read at once, bytes. */
const small = 1024 * 1024

/** True if a response is small by its headers; its length does not count if it has an encoding. */
export const isKnownSmall = (
  length: string | null | undefined,
  contentEncoding: string | null | undefined,
  transferEncoding: string | null | undefined
): boolean => length != null && Number(length) <= small && contentEncoding == null && transferEncoding == null

/** Reads the body to the end, up to this size. A body that is not small needs memory. */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  size: ResponseSize.Size = ResponseSize.usual,
  memory: () => BodyBudget.Memory = () => BodyBudget.own({}, identity)
): Effect.Effect<UpstreamResponse, Fault> => {
  const { status } = response
  // The getter creates a new object for each access.
  const headers = response.headers
  const text = body(response, headers, size, memory)
  const pause = headers["retry-after"]
  return pause === undefined
    ? Effect.map(text, (text) => ({ status, text, retryAfter: undefined }))
    : Effect.zipWith(text, Clock.currentTimeMillis, (text, now) => ({
        status,
        text,
        retryAfter: retryAfterMillis(pause, now)
      }))
}

const body = (
  response: HttpClientResponse.HttpClientResponse,
  headers: Headers.Headers,
  size: ResponseSize.Size,
  memory: () => BodyBudget.Memory
): Effect.Effect<string, Fault> => {
  const text = isKnownSmall(headers["content-length"], headers["content-encoding"], headers["transfer-encoding"])
    ? Effect.mapError(response.text, () => brokenOff)
    : Effect.suspend(() => streamed(response, size, announced(headers), memory()))
  return Effect.filterOrFail(text, ResponseSize.isWithin(size), () => oversized(size))
}

/** Length of the body by its headers; 0 if it is unknown, as for a compressed body. */
const announced = (headers: Headers.Headers): number => {
  const length = Number(headers["content-length"])
  return length > 0 && headers["content-encoding"] === undefined ? length : 0
}

const streamed = (
  response: HttpClientResponse.HttpClientResponse,
  size: ResponseSize.Size,
  whole: number,
  memory: BodyBudget.Memory
): Effect.Effect<string, Fault> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  return response.stream.pipe(
    // Inside the stream: a failing stream logs its error, which contains the address.
    Stream.catchAll((error) => (error.reason === "EmptyBody" ? Stream.empty : Stream.fail(brokenOff))),
    Stream.runForEach((part): Effect.Effect<void, Fault> => {
      parts.push(part)
      length += part.length
      if (Math.max(length, whole) > size.bytes) return Effect.fail(oversized(size))
      if (whole >= length) return memory.reserve(length, whole, whole) ?? Effect.void
      return memory.reserve(length, Math.min(size.bytes, 2 * length), size.bytes) ?? Effect.void
    }),
    Effect.map(() => {
      const whole = Buffer.concat(parts)
      parts.push(whole)
      return new TextDecoder().decode(whole)
    }),
    Effect.ensuring(
      Effect.suspend(() => {
        if (length > small) {
          parts.forEach(free)
          BodyBudget.collectGarbage(length)
        }
        return memory.release
      })
    )
  )
}

/** Frees the memory of a part immediately: large bodies would add up until the next collection. */
const free = ({ buffer, byteLength }: Uint8Array): void => {
  // A view of a part of its buffer may share the buffer with others.
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0)
}

export const brokenOff: Fault = {
  reason: "upstream_error",
  detail: "closed the connection before the response was complete"
}

export const tooLarge: Fault = {
  reason: "bad_answer",
  detail: "returned a response that is too large",
  kind: "too_large"
}

const oversized = ({ isOfCall = false }: ResponseSize.Size): Fault =>
  isOfCall ? { ...tooLarge, final: true } : tooLarge

/** True if a response was rejected for its size: a smaller request may succeed, the same request does not. */
export const isTooLarge = ({ kind }: Pick<Fault, "kind">): boolean => kind === "too_large"

/** Longest pause that is respected, ms. */
const longestRetryAfter = 24 * 60 * 60 * 1000

/** RFC 9110 §10.2.3: seconds, or an HTTP date. */
export const retryAfterMillis = (header: string, now: number): number | undefined => {
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header) * 1000, longestRetryAfter)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), longestRetryAfter)
}

const notJson = (response: UpstreamResponse): Fault => ({
  reason: "bad_answer",
  detail: response.text === "" ? "returned an empty response" : "returned a response that is not JSON",
  status: response.status
})

/** The response as JSON; any other text (an HTML page, a truncated body) is a fault. */
export const json: Decoder<unknown> = (response) =>
  Either.try({ try: () => JSON.parse(response.text) as unknown, catch: () => notJson(response) })

/** Like {@link json}, but integers beyond 2^53 become bigint, with all their digits. */
export const exactJson: Decoder<unknown> = (response) =>
  Either.filterOrLeft(
    Either.try({ try: () => parseExact(response.text), catch: () => notJson(response) }),
    (value) => value !== undefined,
    () => ({ ...tooLarge, status: response.status })
  )

/** Fault that an HTTP status indicates; undefined for 2xx. */
export const statusFault = ({ retryAfter, status }: UpstreamResponse): Fault | undefined => {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return { reason: "bad_answer", detail: `returned a redirect that is not followed (HTTP ${status})`, status }
  if (status === 429 || (status === 503 && retryAfter !== undefined))
    return { reason: "rate_limited", detail: `rate limit reached (HTTP ${status})`, status, retryAfter }
  if (status === 401 || status === 402 || status === 403)
    return { reason: "upstream_error", detail: `access denied (HTTP ${status})`, status }
  const final = status === 400 || status === 404 || status === 413 || status === 414 || status === 422
  return { reason: "upstream_error", detail: `returned HTTP ${status}`, status, ...(final ? { final } : {}) }
}

/** Options to decode the responses of an upstream. */
export interface DecodeOptions {
  /** Finds an error in a body, regardless of the HTTP status: many upstreams return errors with HTTP 200. */
  readonly refusal?: (body: unknown) => Fault | undefined
  /** True if integers beyond 2^53 are JSON numbers, which are then decoded as bigint. */
  readonly exact?: boolean
}

/** Decodes a 2xx response whose JSON matches a schema; with `absent`, a 404 is that value instead of a fault. */
export const fitting =
  <A, I>(
    schema: Schema.Schema<A, I>,
    { exact = false, refusal = () => undefined }: DecodeOptions = {},
    absent?: { readonly value: A }
  ): Decoder<A> =>
  (response) => {
    const parsed = exact ? exactJson(response) : json(response)
    const refused = Either.isRight(parsed) ? refusal(parsed.right) : undefined
    if (refused === undefined && absent !== undefined && response.status === 404) return Either.right(absent.value)
    const fault = refused ?? statusFault(response)
    if (fault !== undefined)
      return Either.left({ status: response.status, ...fault, retryAfter: fault.retryAfter ?? response.retryAfter })
    return Either.flatMap(parsed, (body) =>
      Either.mapLeft(Schema.decodeUnknownEither(schema)(body), (error) => ({
        ...notUnderstood,
        detail: `${notUnderstood.detail}${where(error)}`,
        status: response.status
      }))
    )
  }

/** Path of the member that failed to decode; never its value, which a formatter would write in full. */
const where = ({ issue }: ParseResult.ParseError): string => {
  const path = pathOf(issue)
  return path.length === 0 ? "" : ` (at ${path.map(String).join(".").slice(0, longestPath)})`
}

/** Maximum length of a path in an error, because names of members are text of the upstream. */
const longestPath = 200

const pathOf = (issue: ParseResult.ParseIssue): ReadonlyArray<PropertyKey> => {
  switch (issue._tag) {
    case "Pointer":
      return [...(Array.isArray(issue.path) ? issue.path : [issue.path]), ...pathOf(issue.issue)]
    case "Composite": {
      const [first] = Array.isArray(issue.issues) ? issue.issues : [issue.issues]
      return first === undefined ? [] : pathOf(first)
    }
    case "Refinement":
    case "Transformation":
      return pathOf(issue.issue)
    default:
      return []
  }
}

/** A response that makes its decoder throw. */
export const unreadable: Fault = { reason: "bad_answer", detail: "returned a response that cannot be read" }

/** A response without the members or the values that were expected. */
export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned a response in an unexpected format" }

/** Like the decoder, but an exception is a fault of the response. */
export const guarded =
  <A>(interpret: Decoder<A>): Decoder<A> =>
  (response) =>
    tryOrElse(
      interpret,
      response,
      (): Either.Either<never, Fault> => Either.left({ ...unreadable, status: response.status })
    )
