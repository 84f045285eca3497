import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { note } from "../../kernel/span.ts"
import type * as TimeLimit from "../../kernel/TimeLimit.ts"
import { CurrentUpstream } from "../CurrentUpstream.ts"
import { concealing } from "../concealSecrets.ts"
import * as ResponseDecoder from "../response/ResponseDecoder.ts"
import type * as ResponseSize from "../response/ResponseSize.ts"
import type { Fault } from "../UpstreamError.ts"
import type { credentials } from "./credentials.ts"
import type { TimedCall } from "./Timings.ts"

export interface ExchangeOptions {
  readonly name: string
  /** All hosts of the upstream: a redirect may lead from one to another. */
  readonly hosts: ReadonlyArray<string>
  readonly credentials: ReturnType<typeof credentials>
  readonly limit: TimeLimit.TimeLimit
  /** The length of the limit, ms. */
  readonly timeout: number
  readonly http: HttpClient.HttpClient
  /** What exchanges run with, whoever calls. */
  readonly runtime: Runtime.Runtime<never>
}

/** A redirect would carry a key to wherever it leads. */
export const redirectsOf = ({ credentials, hosts }: Pick<ExchangeOptions, "credentials" | "hosts">) =>
  credentials.isKeyless ? hosts : []

export const timedOut =
  ({ timeout }: Pick<ExchangeOptions, "timeout">) =>
  (): Fault => ({ reason: "timeout", detail: `timed out after ${timeout} ms` })

/** Parts of a response may be passed on, and errors often quote the address that was called. */
export const concealer = ({ secrets }: ExchangeOptions["credentials"]) => {
  const longSecrets = secrets.map(Redacted.value).filter(({ length }) => length >= shortestSecret)
  const conceal = concealing(longSecrets)
  return (response: ResponseDecoder.UpstreamResponse): ResponseDecoder.UpstreamResponse =>
    longSecrets.length === 0 ? response : { ...response, text: conceal(response.text) }
}

/** Sends a request once, and reads and decodes the response, all within the time limit. */
export const make = (options: ExchangeOptions) => {
  const { credentials, http, limit, name, runtime } = options
  const { prepare, secrets } = credentials
  const within = limit.within(
    runtime.pipe(
      Runtime.provideService(CurrentUpstream, { name, secrets, redirects: redirectsOf(options) }),
      // Without a span of its own it sends no trace ids to third parties, and no span contains an address.
      Runtime.setFiberRef(HttpClient.currentTracerDisabledWhen, constTrue)
    )
  )
  const late = timedOut(options)
  const concealed = concealer(credentials)

  return <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: ResponseDecoder.Decoder<A>,
    size: ResponseSize.Size,
    call: TimedCall
  ): Effect.Effect<A, Fault> => {
    if (!isPath(request.url)) return Effect.fail(noPath)
    const exchange = Effect.tap(
      Effect.flatMap(Effect.mapError(http.execute(prepare(request)), faultOf), (response) =>
        ResponseDecoder.read(response, size)
      ),
      () => {
        call.came = true
      }
    )
    const decode = ResponseDecoder.guarded(interpret)
    return Effect.flatMap(within(Effect.map(exchange, concealed), late), (response) =>
      Effect.zipRight(note("http.response.status_code", response.status), decode(response))
    )
  }
}

/** A path of an upstream. Nothing in it, such as a hash that another source returned, leads to another path or begins a query. */
const isPath = (text: string) =>
  /^(\/([\w.~,;:=+-]|%(?!2f|2e|5c|00)[0-9a-f]{2})*)*$/i.test(text) && !/\/\.{1,2}(\/|$)/.test(text)

const noPath: Fault = {
  reason: "bad_answer",
  detail: "a value cannot be part of a path: nothing was sent",
  unsent: true
}

/** A shorter secret may be an ordinary word, and is not replaced. */
const shortestSecret = 8

/** The error codes of the runtime where there was no connection: nothing was sent. */
const unconnected = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]

const faultOf = ({ _tag, cause }: HttpClientError.HttpClientError): Fault =>
  _tag === "ResponseError" ? ResponseDecoder.brokenOff : unreachable(cause)

/** The runtime failed to send the request, or to receive a response. */
export const unreachable = (cause: unknown): Fault => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return {
    reason: "upstream_error",
    detail: "could not be reached",
    ...(typeof code === "string" && unconnected.includes(code) ? { unsent: true } : {})
  }
}
