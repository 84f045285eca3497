import { unescape } from "node:querystring"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Task from "../../kernel/Task.ts"
import { concealing } from "../../kernel/text/concealSecrets.ts"
import type { ClientCall, TimedCall } from "../CircuitBreaker.ts"
import { CurrentUpstream } from "../CurrentUpstream.ts"
import * as FetchClient from "../FetchClient.ts"
import type * as BodyBudget from "../response/BodyBudget.ts"
import * as ResponseDecoder from "../response/ResponseDecoder.ts"
import * as ResponseSize from "../response/ResponseSize.ts"
import type { Fault } from "../UpstreamError.ts"

/** Names of header fields or query parameters, and the operator's keys in them. */
export type Keys = ReadonlyArray<readonly [name: string, key: Redacted.Redacted<string>]>

/** The user part, long path segments and the query of an address may contain keys. */
const parsed = (address: string) => {
  const url = new URL(address)
  const user = unescape(url.username)
  const password = unescape(url.password)
  const pair = `${user}:${password}`
  const parameters = [...url.searchParams]
  const segments = url.pathname.split("/").filter((segment) => segment.length >= 16)
  // Without a password the user is the key.
  const hidden = [pair, password === "" ? user : password, ...segments, ...parameters.map(([, value]) => value)]
  return {
    base: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`,
    parameters,
    authorization: pair === ":" ? undefined : Redacted.make(`Basic ${Encoding.encodeBase64(pair)}`),
    secrets: hidden.filter((secret) => secret.length > 2).map((secret) => Redacted.make(secret))
  }
}

/** Adds the keys of an address to requests, and lists its secrets. */
export const credentials = (address: string, headers: Keys, queryParameters: Keys) => {
  const { authorization, base, parameters, secrets } = parsed(address)
  const all = [...secrets, ...[...headers, ...queryParameters].map(([, key]) => key)]
  return {
    secrets: all,
    isKeyless: authorization === undefined && all.length === 0,
    /** Adds the complete address and all keys to the request. */
    prepare: (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest => {
      let prepared = HttpClientRequest.setUrl(request, `${base}${request.url}`)
      for (const [name, value] of parameters) prepared = HttpClientRequest.appendUrlParam(prepared, name, value)
      for (const [name, key] of queryParameters)
        prepared = HttpClientRequest.appendUrlParam(prepared, name, Redacted.value(key))
      if (authorization !== undefined)
        prepared = HttpClientRequest.setHeader(prepared, "authorization", Redacted.value(authorization))
      for (const [name, key] of headers) prepared = HttpClientRequest.setHeader(prepared, name, Redacted.value(key))
      return HttpClientRequest.setHeader(prepared, "user-agent", "wallet-data")
    }
  }
}

export interface ExchangeOptions {
  readonly name: string
  /** The host of the address. */
  readonly host: string
  /** All hosts of the upstream: a redirect may lead from one to another. */
  readonly hosts: ReadonlyArray<string>
  readonly credentials: ReturnType<typeof credentials>
  /** Time limits of a call, ms. */
  readonly timeout: Readonly<Record<ClientCall, number>>
  readonly http: HttpClient.HttpClient
  readonly clock: Clock.Clock
  /** The runtime of all exchanges, independent of the caller. */
  readonly runtime: Runtime.Runtime<never>
}

type Received = Task.Task<ResponseDecoder.UpstreamResponse, Fault>

/** Sends a request with its complete address and all keys, any number of times. */
export type Send = (options: {
  readonly size: ResponseSize.Size
  /** Called for a response that is not small. */
  readonly memory: () => BodyBudget.Memory
  /** True if it is sent over a new connection. */
  readonly isFresh: boolean
  /** Replaces the body of the request. */
  readonly body?: string
}) => Received

/** Sends requests, each once. Needs no fiber if the runtime's `fetch` sends the request and the response is small. */
export const make = (options: ExchangeOptions) => {
  const { clock, credentials, host, hosts, http, name, runtime } = options
  const { isKeyless, prepare, secrets } = credentials
  // A redirect would send a key to its target.
  const redirects = isKeyless ? hosts : []
  const own = runtime.pipe(
    Runtime.provideService(CurrentUpstream, { name, secrets, redirects }),
    // Without its own span it sends no trace ids to third parties, and no span contains an address.
    Runtime.setFiberRef(HttpClient.currentTracerDisabledWhen, constTrue)
  )
  const ofEffect = Task.fromEffect(Runtime.runFork(own))
  const fetch = FetchClient.sendOf(http, name)

  /** Sends with the runtime's `fetch`. */
  const fetched = (request: HttpClientRequest.HttpClientRequest, send: FetchClient.Send): Send => {
    const { "content-length": _, ...fields } = request.headers
    const target = Either.flatMap(UrlParams.makeUrl(request.url, request.urlParams, request.hash), (url) =>
      Either.try(() => ({ url, headers: new Headers({ "accept-encoding": FetchClient.accepted, ...fields }) }))
    )
    if (Either.isLeft(target)) return () => Task.ended(Exit.fail(unreachable(target.left)))
    const { headers, url } = target.right
    const { method } = request
    /** Reads a large response part by part. */
    const read = (found: FetchClient.FetchedResponse, size: ResponseSize.Size, memory: () => BodyBudget.Memory) =>
      ofEffect(
        Effect.flatMap(
          Effect.mapError(FetchClient.toPlatformResponse(request, found), () => ResponseDecoder.brokenOff),
          (response) => ResponseDecoder.read(response, size, memory)
        )
      )
    return ({ body = FetchClient.bodyOf(request), isFresh, memory, size }) =>
      (done) => {
        const controller = new AbortController()
        const init = { method, headers, body, signal: controller.signal, isFresh }
        let isOver = false
        let cancel = () => controller.abort()
        const received = (found: FetchClient.FetchedResponse) => {
          if (isOver) return
          const { response, text } = found
          if (text !== undefined && ResponseSize.isWithin(size)(text))
            done(Exit.succeed(small(response, text, clock.unsafeCurrentTimeMillis())))
          else cancel = read(found, size, memory)(done)
        }
        const failed = (fault: Exit.Exit<never, Fault>) => (isOver ? undefined : done(fault))
        send(url, init, redirects)
          .then(received, (cause) => failed(Exit.fail(unreachable(cause))))
          .catch((defect) => failed(Exit.die(defect)))
        return () => {
          isOver = true
          cancel()
        }
      }
  }

  /** Sends with a client that does more than send: it records or simulates. */
  const executed =
    (request: HttpClientRequest.HttpClientRequest): Send =>
    ({ body, memory, size }) =>
      ofEffect(
        Effect.flatMap(
          Effect.mapError(
            http.execute(body === undefined ? request : HttpClientRequest.bodyText(request, body, "application/json")),
            faultOf
          ),
          (response) => ResponseDecoder.read(response, size, memory)
        )
      )

  return {
    prepare: (request: HttpClientRequest.HttpClientRequest): Send => {
      if (!isPath(request.url)) return () => Task.ended(Exit.fail(noPath))
      const prepared = prepare(request)
      return fetch === undefined ? executed(prepared) : fetched(prepared, fetch)
    },
    decoded: decoding(options),
    /** Closes the idle connections to the host: a call had no response, so the others may be dead too. */
    renew: (): void => fetch?.renew?.(host)
  }
}

/** Receives and decodes a response within the time limit of the call. */
const decoding = ({ credentials, timeout }: ExchangeOptions) => {
  const concealed = concealer(credentials.secrets)
  return <A>(received: Received, interpret: ResponseDecoder.Decoder<A>, call: TimedCall): Task.Task<A, Fault> =>
    (done) => {
      const decode = ResponseDecoder.guarded(interpret)
      let isOver = false
      const settle = (exit: Exit.Exit<A, Fault>) => {
        if (isOver) return
        isOver = true
        inTime()
        done(exit)
      }
      const { client = "usual" } = call
      const isFinal = client === "long" ? { final: true } : {}
      const inTime = call.time.limit(timeout[client], () => {
        cancel()
        settle(Exit.fail({ reason: "timeout", detail: `timed out after ${timeout[client]} ms`, ...isFinal }))
      })
      const cancel = received((exit) => {
        if (Exit.isFailure(exit)) return settle(Exit.failCause(exit.cause))
        call.status = exit.value.status
        settle(Exit.fromEither(decode(concealed(exit.value))))
      })
      return () => {
        if (isOver) return
        isOver = true
        inTime()
        cancel()
      }
    }
}

const small = ({ headers, status }: Response, text: string, now: number): ResponseDecoder.UpstreamResponse => {
  const wish = headers.get("retry-after")
  return { status, text, retryAfter: wish === null ? undefined : ResponseDecoder.retryAfterMillis(wish, now) }
}

/** True for a safe path: no part, such as a hash from another source, leads to another path or starts a query. */
const isPath = (text: string) =>
  /^(\/([\w.~,;:=+-]|%(?!2f|2e|5c|00)[0-9a-f]{2})*)*$/i.test(text) && !/\/\.{1,2}(\/|$)/.test(text)

const noPath: Fault = {
  reason: "bad_answer",
  detail: "a value cannot be part of a path; the request was not sent",
  unsent: true
}

/** A shorter secret may be an ordinary word, and is not replaced. */
const shortestSecret = 8

/** Removes secrets from responses: parts may be passed on, and errors often quote the called address. */
const concealer = (secrets: ReadonlyArray<Redacted.Redacted<string>>) => {
  const longSecrets = secrets.map(Redacted.value).filter(({ length }) => length >= shortestSecret)
  const conceal = concealing(longSecrets)
  return (response: ResponseDecoder.UpstreamResponse): ResponseDecoder.UpstreamResponse =>
    longSecrets.length === 0 ? response : { ...response, text: conceal(response.text) }
}

/** Error codes of the runtime for failed connections: the request was not sent. */
const unconnected = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]

const faultOf = ({ _tag, cause }: HttpClientError.HttpClientError): Fault =>
  _tag === "ResponseError" ? ResponseDecoder.brokenOff : unreachable(cause)

/** Error codes of the runtime for certificates, among them those of OpenSSL. */
const ofCertificate = /CERT|^UNABLE_TO_|^INVALID_CA$|^INVALID_PURPOSE$|^HOSTNAME_MISMATCH$/

/** What an operator can change, in words; undefined for all other error codes. */
const causeOf = (code: string): string | undefined => {
  if (code === "ECONNREFUSED") return "connection refused"
  if (code === "ENOTFOUND") return "its name was not found"
  if (code === "ERR_PROXY_TUNNEL") return "the proxy refused the connection"
  return ofCertificate.test(code) ? `its certificate is not trusted (${code})` : undefined
}

/** The runtime failed to send the request, or to receive a response. Its message contains the address. */
const unreachable = (cause: unknown): Fault => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  const why = causeOf(code)
  return {
    reason: "upstream_error",
    detail: why === undefined ? "could not be reached" : `could not be reached: ${why}`,
    ...(unconnected.includes(code) ? { unsent: true } : {})
  }
}
