import * as Effect from "effect/Effect"
import { isOpen } from "../../contract/openapi.ts"
import {
  Forbidden,
  NotFound,
  type Problem,
  ShuttingDown,
  TooManyRequests,
  Unauthorized
} from "../../contract/Problem.ts"
import { Health } from "../Health.ts"
import { ServerSettings } from "../ServerSettings.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Identity from "./Identity.ts"
import * as Limits from "./Limits.ts"
import type { RateRefusal } from "./RateLimit.ts"

export type { Caller } from "./Identity.ts"

export const isHealth = (path: string) => path.startsWith("/health/")

/** Where the request leads, as far as access depends on it. */
interface Destination {
  readonly path: string
  readonly route: { readonly template: string } | undefined
}

/** Why requests must not go on: the service stops, a key is wrong, or they come too often. */
export interface AccessControl {
  /** Who sends the request to this path. */
  readonly identify: (caller: Identity.Caller, path: string) => Identity.Identity
  /** The address of a client, past the proxies that are trusted. */
  readonly addressOf: (caller: Identity.Caller) => string
  /** Why this request must not go on; counts it for the limits. */
  readonly refusal: (identity: Identity.Identity, destination: Destination) => Problem | undefined
  /** See {@link BatchRate}. */
  readonly countRest: (identity: Identity.Identity, calls: number) => RateRefusal | undefined
}

const unkeyed = (given: string | undefined) =>
  given === undefined || given === ""
    ? new Unauthorized({ detail: "This service needs a key in the header x-api-key." })
    : new Forbidden({ detail: "The key in the header x-api-key is not accepted." })

export const make = Effect.gen(function* () {
  const { apiKeys, apiKeysFile, isKeyed, metricsPort, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const identify = Identity.make(yield* ApiKeys.make(apiKeys, apiKeysFile), isKeyed, trustProxy)
  const limits = Limits.make(rateLimit)

  const limited = (identity: Identity.Identity): Problem | undefined => {
    const refused = limits.take(identity, clock.unsafeCurrentTimeMillis())
    return refused && new TooManyRequests({ detail: refused.detail, headers: refused.headers })
  }

  const restricted = (identity: Identity.Identity, template: string | undefined): Problem | undefined => {
    const key = identity.key()
    if (key === undefined || template === undefined || key.allows(template)) return undefined
    limits.usage.count(key.name, "route_refused")
    return new Forbidden({ detail: "The key in the header x-api-key is not accepted for this route." })
  }

  const access: AccessControl = {
    identify,
    addressOf: Identity.addressOf(trustProxy),
    refusal: (identity, { path, route }) => {
      if (isHealth(path)) return undefined
      const isMetrics = path === "/metrics"
      if (isMetrics && metricsPort !== undefined) return new NotFound({ detail: "Metrics are on a port of their own." })
      if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
      const accepted = !isKeyed || identity.key() !== undefined
      // Who collects metrics must not be counted among the clients; a key that is wrong is, so that none can be guessed.
      const tooMany = isMetrics && accepted ? undefined : limited(identity)
      if (tooMany !== undefined || isOpen(path)) return tooMany
      return accepted ? restricted(identity, route?.template) : unkeyed(identity.given)
    },
    // A request that has come so far was admitted.
    countRest: (identity, calls) => limits.takeRest(identity, clock.unsafeCurrentTimeMillis(), calls)
  }
  return access
})
