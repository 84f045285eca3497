import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { RetrySettings } from "../client/retries.ts"
import { Api } from "../contract/Api.ts"
import { retrying } from "./retrying.ts"

export { Api } from "../contract/Api.ts"
/** The errors of the service, as classes: `Problem.TooManyRequests`. */
export * as Problem from "../contract/Problem.ts"

export interface Options extends Partial<RetrySettings> {
  /** The address of the service. */
  readonly baseUrl: string
  /** Sent as `x-api-key`. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** The API key must not go where a redirect points, so that `fetch` does not follow one. */
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    Effect.provideService(effect, FetchHttpClient.RequestInit, {
      ...Option.getOrElse(init, () => ({})),
      redirect: "manual"
    })
  )

/**
 * A client of the contract: its groups and methods, their errors as values. Reads are repeated where the service could
 * not be reached or refuses for now; time limits are the caller's.
 */
export const make = ({ apiKey, baseUrl, maxRetryDelay = 30_000, retries = 2, retryDelay = 1_000 }: Options) => {
  const base = baseUrl.replace(/\/+$/, "")
  return HttpApiClient.make(Api, {
    baseUrl: base,
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequest((request) =>
          apiKey === undefined ? request : HttpClientRequest.setHeader(request, "x-api-key", Redacted.value(apiKey))
        ),
        HttpClient.transform(withoutRedirects),
        HttpClient.transform(retrying(base, { retries, retryDelay, maxRetryDelay }))
      )
  })
}

type Client = Effect.Effect.Success<ReturnType<typeof make>>

/** The client as a service. */
export class WalletData extends Context.Tag("effectClient/WalletData")<WalletData, Client>() {
  static readonly layer = (options: Options): Layer.Layer<WalletData, never, HttpClient.HttpClient> =>
    Layer.effect(WalletData, make(options))
}
