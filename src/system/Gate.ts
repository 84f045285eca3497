import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isOpen } from "../api/openapi.ts"
import { Forbidden, type Problem, ShuttingDown, TooManyRequests, Unauthorized } from "../api/Problem.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { Health } from "./Health.ts"
import * as RateLimit from "./RateLimit.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** The address at the other end of the socket; there only where somebody needs it. */
export class ClientAddress extends Context.Tag("system/ClientAddress")<ClientAddress, string>() {}

/** The nearest proxy has written the last address; those before it are what clients say of themselves. */
const forwarded = (request: HttpServerRequest.HttpServerRequest) =>
  request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim()

const isHealth = (path: string) => path.startsWith("/health/")

/** Fails for a request that must not go on: the service stops, its key is wrong, or it comes too often. */
export const make = Effect.gen(function* () {
  const { apiKeys, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const accepted = ApiKeys.make(apiKeys)
  const limiter = rateLimit === 0 ? undefined : RateLimit.make(rateLimit)

  const client = (request: HttpServerRequest.HttpServerRequest, context: Context.Context<never>) => {
    const proxied = trustProxy ? forwarded(request) : undefined
    return proxied ?? Context.getOrElse(context as Context.Context<ClientAddress>, ClientAddress, () => "unknown")
  }

  const stopping = Effect.flatMap(health.state, (state) =>
    state === "stopping" ? Effect.fail(new ShuttingDown({ detail: "This instance is shutting down." })) : Effect.void
  )

  /** A key that is wrong counts for its sender's address, so that keys cannot be guessed any faster. */
  const limited = (request: HttpServerRequest.HttpServerRequest, key: string | undefined) =>
    limiter === undefined
      ? Effect.void
      : Effect.contextWithEffect((context: Context.Context<never>) =>
          Effect.flatMap(
            limiter.take(key === undefined ? `at ${client(request, context)}` : `key ${key}`),
            (seconds) =>
              seconds === 0
                ? Effect.void
                : Effect.fail(
                    new TooManyRequests({
                      detail: `More than ${rateLimit} requests a minute. Come back in ${seconds} s.`,
                      headers: { "retry-after": String(seconds) }
                    })
                  )
          )
        )

  return (request: HttpServerRequest.HttpServerRequest, path: string): Effect.Effect<void, Problem> => {
    if (isHealth(path)) return Effect.void
    const given = request.headers["x-api-key"]
    const valid = given !== undefined && apiKeys.length > 0 && accepted(given)
    const keyed: Effect.Effect<void, Problem> =
      apiKeys.length === 0 || valid || isOpen(path)
        ? Effect.void
        : Effect.fail(
            given === undefined || given === ""
              ? new Unauthorized({ detail: "This service needs a key in the header x-api-key." })
              : new Forbidden({ detail: "The key in the header x-api-key is not accepted." })
          )
    return stopping.pipe(Effect.zipRight(limited(request, valid ? given : undefined)), Effect.zipRight(keyed))
  }
})
