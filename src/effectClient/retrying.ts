import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { backoff, isRefusedForNow, type RetrySettings, retryAfterOf } from "../client/retries.ts"
import { isRepeatable } from "./repeatable.ts"

type Attempt<E> = Effect.Effect<HttpClientResponse.HttpClientResponse, E>

const isDisconnected = (error: unknown) => error instanceof HttpClientError.RequestError && error.reason === "Transport"

/** Repeats a request to the service at `base` where that changes nothing and may help. */
export const retrying =
  (base: string, settings: RetrySettings) =>
  <E>(effect: Attempt<E>, { method, url }: HttpClientRequest.HttpClientRequest): Attempt<E> => {
    if (!isRepeatable(method, url.slice(base.length))) return effect
    const attempt = (count: number): Attempt<E> =>
      Effect.flatMap(Effect.either(effect), (result) => {
        const mayHelp = Either.match(result, {
          onLeft: isDisconnected,
          onRight: ({ status }) => isRefusedForNow(status)
        })
        if (!mayHelp) return result
        const headers: Headers.Headers = Either.isRight(result) ? result.right.headers : Headers.empty
        return Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
          const retryAfter = retryAfterOf(headers["retry-after"], headers.date, now)
          const delay = backoff(count, retryAfter, settings, random)
          return delay === undefined ? result : Effect.zipRight(Effect.sleep(delay), attempt(count + 1))
        })
      })
    return attempt(0)
  }
