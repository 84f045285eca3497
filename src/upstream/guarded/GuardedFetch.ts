import { isIPv4 } from "node:net"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Permits from "../../kernel/Permits.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { CurrentUpstream } from "../CurrentUpstream.ts"
import * as ResponseDecoder from "../response/ResponseDecoder.ts"
import { type Fault, UpstreamError } from "../UpstreamError.ts"

interface GuardedRequest {
  /** Name of the upstream in errors and in the sandbox. */
  readonly upstream: string
  /** Chosen by a third party. */
  readonly url: string
  /** Allowed content types, without parameters. The header is only a first check: check the bytes too. */
  readonly types: ReadonlyArray<string>
  readonly maxBytes: number
}

/**
 * Fetches from addresses that third parties choose, without trusting them: https on port 443 of public hosts only, also
 * after a redirect. Bounded in size, time, concurrency, and calls per host and hour. Sends no cookies, no credentials
 * and no header fields of clients.
 */
export class GuardedFetch extends Context.Tag("upstream/guarded/GuardedFetch")<
  GuardedFetch,
  {
    /** The body of a response with status 200. Errors contain no part of the address. */
    readonly get: (request: GuardedRequest) => Effect.Effect<Uint8Array, UpstreamError>
  }
>() {
  static readonly layer = Layer.effect(
    GuardedFetch,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const permits = Permits.make(maxConcurrent)
      const isWithinLimits = hourlyLimits()

      const send = (request: GuardedRequest, url: string, guard: AbortSignal, redirects: number): Body =>
        Effect.gen(function* () {
          const target = allowed(url)
          if (target === undefined) return yield* Effect.fail(forbidden)
          if (!isWithinLimits(target.host, yield* Clock.currentTimeMillis)) return yield* Effect.fail(overLimit)
          const response = yield* http
            .execute(
              HttpClientRequest.get(target.href, {
                headers: { accept: request.types.join(", "), "accept-encoding": "identity" }
              })
            )
            .pipe(
              Effect.mapError(() => unreachable),
              Effect.provideService(CurrentUpstream, { name: request.upstream, secrets: [], guard }),
              // Trace ids are not sent to third parties.
              Effect.locally(HttpClient.currentTracerDisabledWhen, constTrue)
            )
          if (!redirectStatuses.includes(response.status)) return yield* bodyOf(response, request)
          const next = URL.parse(response.headers.location ?? "", target.href)
          if (next === null || redirects === 0) return yield* Effect.fail(tooManyRedirects)
          return yield* send(request, next.href, guard, redirects - 1)
        })

      return {
        get: (request) =>
          Effect.acquireUseRelease(
            Effect.sync(() => new AbortController()),
            ({ signal }) => send(request, request.url, signal, maxRedirects),
            (controller) => Effect.sync(() => controller.abort())
          ).pipe(
            permits.withPermit,
            timeoutFail({ duration: maxTime, onTimeout: () => late }),
            Effect.mapError((fault) => new UpstreamError({ upstream: request.upstream, ...fault }))
          )
      }
    })
  )
}

type Body = Effect.Effect<Uint8Array, Fault>

/** Maximum number of consecutive redirects. */
const maxRedirects = 3

const redirectStatuses: ReadonlyArray<number> = [301, 302, 303, 307, 308]

/** Maximum number of fetches in progress; more wait. */
const maxConcurrent = 8

/** Time limit of a fetch with its redirects and its wait for a permit, ms. */
const maxTime = 10_000

const hour = 60 * 60 * 1000

/** Maximum number of calls to a host, and of hosts, per hour. */
const perHour = { calls: 2_000, hosts: 200 }

const maxUrlLength = 2_048

const forbidden: Fault = { reason: "bad_answer", detail: "the address is not allowed" }
const overLimit: Fault = { reason: "rate_limited", detail: "rate limit reached" }
const unreachable: Fault = { reason: "upstream_error", detail: "could not be reached" }
const late: Fault = { reason: "timeout", detail: `timed out after ${maxTime} ms` }
const tooManyRedirects: Fault = { reason: "bad_answer", detail: "returned a redirect that is not followed" }
const wrongType: Fault = { reason: "bad_answer", detail: "returned a response of another type" }

/** The URL if it may be called; the addresses of its host are checked when they are resolved. */
const allowed = (text: string): URL | undefined => {
  const url = text.length > maxUrlLength ? null : URL.parse(text)
  if (url === null || url.protocol !== "https:" || url.port !== "") return undefined
  // The parser has normalized all spellings of an IPv4 address.
  const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(url.hostname) && !isIPv4(url.hostname)
  return isName && url.username === "" && url.password === "" ? url : undefined
}

/** Counts calls; false if a limit of this hour is reached. */
const hourlyLimits = () => {
  const calls = new Map<string, number>()
  let current = 0
  return (host: string, now: number): boolean => {
    const started = Math.floor(now / hour)
    if (started !== current) calls.clear()
    current = started
    const count = calls.get(host) ?? 0
    if (count >= perHour.calls || (count === 0 && calls.size >= perHour.hosts)) return false
    calls.set(host, count + 1)
    return true
  }
}

/** Reads the body of a response of an allowed type, up to the maximum size. Encoded bodies are not decoded. */
const bodyOf = (
  response: HttpClientResponse.HttpClientResponse,
  { maxBytes, types }: Pick<GuardedRequest, "maxBytes" | "types">
): Body => {
  const { headers, status } = response
  const fault = ResponseDecoder.statusFault({ status, text: "", retryAfter: undefined })
  if (fault !== undefined || status !== 200) return Effect.fail(fault ?? wrongType)
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const encoding = headers["content-encoding"] ?? "identity"
  if (!types.includes(type) || encoding !== "identity") return Effect.fail(wrongType)
  if (Number(headers["content-length"] ?? 0) > maxBytes) return Effect.fail(ResponseDecoder.tooLarge)
  const parts: Array<Uint8Array> = []
  let length = 0
  return response.stream.pipe(
    Stream.mapError((): Fault => ResponseDecoder.brokenOff),
    Stream.runForEach((part) => {
      parts.push(part)
      length += part.length
      return length > maxBytes ? Effect.fail(ResponseDecoder.tooLarge) : Effect.void
    }),
    Effect.map(() => new Uint8Array(Buffer.concat(parts)))
  )
}
