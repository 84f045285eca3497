import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { localUrl } from "../http/localUrl.ts"
import { settings } from "../http/ServerSettings.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import type { Arguments } from "./arguments.ts"
import { milliseconds } from "./seconds.ts"

/** Asks the service at HOST and PORT whether it is ready, or with `--live` whether it runs, and says so in one line. */
export const health = ({ values }: Arguments) =>
  Effect.gen(function* () {
    const limit = yield* milliseconds("timeout", values.timeout, 5)
    const { host, port } = yield* settings
    const url = `${localUrl(host, port)}/health/${values.live === true ? "live" : "ready"}`
    const client = yield* HttpClient.HttpClient
    const status = yield* client.get(url).pipe(
      Effect.map((response) => response.status),
      Effect.scoped,
      Effect.mapError(() => `nothing answers at ${url}`),
      (answer) => timeoutFail(answer, { duration: limit, onTimeout: () => `no answer in time from ${url}` })
    )
    const word = values.live === true ? "live" : "ready"
    yield* Console.log(status === 200 ? word : `not ${word}: ${url} answered with status ${status}`)
    return status === 200
  }).pipe(Effect.provide(FetchHttpClient.layer))
