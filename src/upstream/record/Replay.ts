import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { concealing } from "../../kernel/text/concealSecrets.ts"
import { SettingError } from "../../settings/Settings.ts"
import { CurrentUpstream } from "../CurrentUpstream.ts"
import * as Exchange from "./Exchange.ts"

/**
 * Responds with the recorded exchanges of a folder and its subfolders. Equal requests to the same upstream, or else to
 * the same host, get the same response. A request that was not recorded fails as if the host could not be reached. A
 * folder without any exchange fails the start.
 */
export const layer = (directory: string) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const exchanges = yield* load(directory)
      return HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const { name, secrets } = yield* CurrentUpstream
          const recordedRequest = Exchange.request(request, url, concealing(secrets.map(Redacted.value)))
          const key = Exchange.keyOf(recordedRequest)
          const found = exchanges.get(`${name} ${key}`) ?? exchanges.get(`${url.host} ${key}`)
          if (found === undefined)
            return yield* new HttpClientError.RequestError({
              request,
              reason: "Transport",
              description: "this exchange was not recorded"
            })
          return HttpClientResponse.fromWeb(request, Exchange.respond(found.response))
        })
      )
    })
  )

const decode = Schema.decodeUnknown(Exchange.Exchange)

const load = (directory: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const names = yield* files.readDirectory(directory, { recursive: true })
    const exchanges = new Map<string, Exchange.Exchange>()
    for (const name of names.filter((file) => file.endsWith(".json")).sort()) {
      const exchange = yield* Effect.option(
        Effect.flatMap(files.readFileString(`${directory}/${name}`), (text) => decode(Exchange.parse(text)))
      )
      if (Option.isSome(exchange)) {
        const { provider, request } = exchange.value
        for (const source of [provider, request.host])
          exchanges.set(`${source} ${Exchange.keyOf(request)}`, exchange.value)
      } else yield* Effect.logWarning(`${name} is not a recorded exchange, ignored`)
    }
    if (exchanges.size === 0) return yield* Effect.fail({ message: `"${directory}" contains none` })
    return exchanges
  }).pipe(
    Effect.mapError(
      (error) =>
        new SettingError({
          variable: "UPSTREAMS",
          problem: `the recorded exchanges cannot be read: ${error.message}; allowed: replay:DIR with a folder of recorded exchanges`
        })
    )
  )
