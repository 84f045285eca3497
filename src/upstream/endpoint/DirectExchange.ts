import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Task from "../../kernel/Task.ts"
import * as FetchClient from "../FetchClient.ts"
import * as ResponseDecoder from "../response/ResponseDecoder.ts"
import * as ResponseSize from "../response/ResponseSize.ts"
import type { Fault } from "../UpstreamError.ts"
import * as HttpExchange from "./HttpExchange.ts"
import type { TimedCall } from "./Timings.ts"

/** Sends a body as {@link HttpExchange} sends a request, without a fiber. */
export type DirectExchange = <A>(
  body: string,
  interpret: ResponseDecoder.Decoder<A>,
  call: TimedCall
) => Task.Task<A, Fault>

/** For requests that differ in their JSON body alone, whose responses are passed on. */
export const make = (options: HttpExchange.ExchangeOptions, send: FetchClient.Send, clock: Clock.Clock) => {
  const { credentials, limit } = options
  const redirects = HttpExchange.redirectsOf(options)
  const concealed = HttpExchange.concealer(credentials)
  const timedOut = HttpExchange.timedOut(options)

  return (request: HttpClientRequest.HttpClientRequest, ofEffect: Task.OfEffect): DirectExchange | undefined => {
    const prepared = credentials.prepare(request)
    const url = UrlParams.makeUrl(prepared.url, prepared.urlParams, prepared.hash)
    if (Either.isLeft(url)) return undefined
    const { "content-length": _, ...own } = prepared.headers
    const headers = new Headers({ "accept-encoding": FetchClient.accepted, ...own })

    /** A large response is read piece by piece, in a fiber. */
    const readLarge = (received: FetchClient.Settled): Task.Task<ResponseDecoder.UpstreamResponse, Fault> =>
      ofEffect(
        FetchClient.concluded(prepared, received).pipe(
          Effect.mapError(() => ResponseDecoder.brokenOff),
          Effect.flatMap((response) => ResponseDecoder.read(response, ResponseSize.passed))
        )
      )

    const small = ({ headers, status }: Response, text: string): ResponseDecoder.UpstreamResponse => {
      const wish = headers.get("retry-after")
      const retryAfter =
        wish === null ? undefined : ResponseDecoder.retryAfterMillis(wish, clock.unsafeCurrentTimeMillis())
      return { status, text, retryAfter }
    }

    return (body, interpret, call) => (done) => {
      const controller = new AbortController()
      const decode = ResponseDecoder.guarded(interpret)
      let isOver = false
      let cancel = () => controller.abort()
      const settle = (exit: Parameters<typeof done>[0]): void => {
        if (isOver) return
        isOver = true
        inTime()
        done(exit)
      }
      const inTime = limit.after(() => {
        cancel()
        settle(Exit.fail(timedOut()))
      })
      const read = (answer: ResponseDecoder.UpstreamResponse): void => {
        call.came = true
        settle(Exit.fromEither(decode(concealed(answer))))
      }
      const received = (found: FetchClient.Settled): void => {
        if (isOver) return
        const { response, text } = found
        if (text !== undefined) read(small(response, text))
        else
          cancel = readLarge(found)((exit) =>
            Exit.isSuccess(exit) ? read(exit.value) : settle(Exit.failCause(exit.cause))
          )
      }
      send(url.right, { method: "POST", headers, body, signal: controller.signal }, redirects)
        .then(received, (cause) => settle(Exit.fail(HttpExchange.unreachable(cause))))
        .catch((defect) => settle(Exit.die(defect)))
      return () => {
        if (isOver) return
        isOver = true
        inTime()
        cancel()
      }
    }
  }
}
