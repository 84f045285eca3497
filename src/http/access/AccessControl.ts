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
import { LimitSharing } from "../../storage/quota/SharedQuotas.ts"
import { Health } from "../Health.ts"
import { ServerSettings } from "../ServerSettings.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Identity from "./Identity.ts"
import * as Limits from "./Limits.ts"

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
  /** Why this request must not go on; counts it for the limits. */
  readonly refusal: (identity: Identity.Identity, destination: Destination) => Decision | Undecided
  /** Counts the calls of a batch beyond its first one. */
  readonly countRest: (identity: Identity.Identity, calls: number) => Effect.Effect<Limits.LimitRefusal | undefined>
}

type Decision = Problem | undefined

/** The store has to be asked. */
export interface Undecided {
  readonly decision: Effect.Effect<Decision>
}

export const isUndecided = (found: Decision | Undecided): found is Undecided =>
  found !== undefined && "decision" in found

const unkeyed = (given: string | undefined) =>
  given === undefined || given === ""
    ? new Unauthorized({ detail: "This service needs a key in the header x-api-key." })
    : new Forbidden({ detail: "The key in the header x-api-key is not accepted." })

const tooMany = (refused: Limits.LimitRefusal | undefined): Decision =>
  refused && new TooManyRequests({ detail: refused.detail, headers: refused.headers })

export const make = Effect.gen(function* () {
  const { apiKeys, apiKeysFile, isKeyed, metricsPort, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const identify = Identity.make(yield* ApiKeys.make(apiKeys, apiKeysFile), isKeyed, trustProxy)
  const limits = Limits.make({ perMinute: rateLimit, ...(yield* LimitSharing) })

  const restricted = (identity: Identity.Identity, template: string | undefined): Decision => {
    const key = identity.key()
    if (key === undefined || template === undefined || key.allows(template)) return undefined
    limits.usage.count(key.name, "route_refused")
    return new Forbidden({ detail: "The key in the header x-api-key is not accepted for this route." })
  }

  const access: AccessControl = {
    identify,
    refusal: (identity, { path, route }) => {
      if (isHealth(path)) return undefined
      const isMetrics = path === "/metrics"
      if (isMetrics && metricsPort !== undefined) return new NotFound({ detail: "Metrics are on a port of their own." })
      if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
      const accepted = !isKeyed || identity.key() !== undefined
      const otherwise = (): Decision => {
        if (isOpen(path)) return undefined
        return accepted ? restricted(identity, route?.template) : unkeyed(identity.given)
      }
      // Who collects metrics must not be counted among the clients; a key that is wrong is, so that none can be guessed.
      if (isMetrics && accepted) return otherwise()
      const limited = limits.take(identity, clock.unsafeCurrentTimeMillis())
      return Effect.isEffect(limited)
        ? { decision: Effect.map(limited, (later) => tooMany(later) ?? otherwise()) }
        : (tooMany(limited) ?? otherwise())
    },
    // A request that has come so far was admitted.
    countRest: (identity, calls) =>
      Effect.suspend(() => {
        const limited = limits.takeRest(identity, clock.unsafeCurrentTimeMillis(), calls)
        return Effect.isEffect(limited) ? limited : Effect.succeed(limited)
      })
  }
  return access
})
