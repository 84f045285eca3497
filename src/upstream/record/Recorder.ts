import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { concealing } from "../../kernel/text/concealSecrets.ts"
import { CurrentUpstream } from "../CurrentUpstream.ts"
import * as Exchange from "./Exchange.ts"

/** Recorded headers. The others describe the connection, or identify a person or an account. */
const recorded = /^(content-type|date|cache-control|retry-after|location|.*rate-?limit.*)$/

/** Receives what happens to exchanges. */
export interface Recording {
  /** The reason why an exchange could not be written. */
  readonly lost: (reason: string) => void
  /** A successful exchange. */
  readonly written: (upstream: string, request: Exchange.Exchange["request"]) => void
}

const ignored: Recording = { lost: () => {}, written: () => {} }

/**
 * Sends live requests and writes every exchange to `<directory>/<upstream>/<hash of the request>.json`, with secrets
 * replaced by `{apiKey}`. An exchange that cannot be written is logged and lost.
 */
export const layer = (directory: string, { lost, written }: Recording = ignored) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const live = yield* HttpClient.HttpClient
      let parts = 0

      const write = (
        request: HttpClientRequest.HttpClientRequest,
        status: number,
        headers: Readonly<Record<string, string>>,
        text: string
      ) =>
        Effect.gen(function* () {
          const { name, secrets } = yield* CurrentUpstream
          const url = UrlParams.makeUrl(request.url, request.urlParams, request.hash)
          if (Either.isLeft(url)) return
          const hide = concealing(secrets.map(Redacted.value))
          const recordedRequest = Exchange.request(request, url.right, hide)
          const at = new Date(yield* Clock.currentTimeMillis).toISOString()
          const exchange: Exchange.Exchange = {
            provider: name,
            request: recordedRequest,
            response: {
              status,
              headers: Object.fromEntries(
                Object.entries(headers).flatMap(([header, value]) =>
                  recorded.test(header) ? [[header, hide(value)]] : []
                )
              ),
              body: Exchange.parse(hide(text))
            },
            provenance: { kind: "recorded", note: `recorded at ${at}` }
          }
          const folder = `${directory}/${name}`
          yield* files.makeDirectory(folder, { recursive: true })
          const file = `${folder}/${Exchange.keyOf(recordedRequest).slice(0, 16)}`
          // Several hosts may get the same request at once: each is written to its own file, and the last rename wins.
          const part = `${file}.${parts++}.part`
          yield* files.writeFileString(part, `${JSON.stringify(exchange, undefined, 1)}\n`).pipe(
            Effect.zipRight(files.rename(part, `${file}.json`)),
            Effect.tapError(() => Effect.ignore(files.remove(part, { force: true })))
          )
          if (status < 300) written(name, recordedRequest)
        }).pipe(
          Effect.catchAll((error) => {
            lost(error.message)
            return Effect.logWarning("an exchange could not be recorded", error.message)
          })
        )

      return HttpClient.transform(live, (effect, request) =>
        Effect.gen(function* () {
          const response = yield* effect
          // The body may be binary, and is not a response of a configured upstream.
          if ((yield* CurrentUpstream).guard !== undefined) return response
          const bytes = yield* response.arrayBuffer
          const { "content-encoding": _, "content-length": __, ...headers } = response.headers
          const text = Buffer.from(bytes).toString("utf8")
          yield* write(request, response.status, headers, text)
          const again = Exchange.respond({ status: response.status, headers, body: text })
          return HttpClientResponse.fromWeb(request, again)
        })
      )
    })
  )
