import * as Effect from "effect/Effect"
import { needsNoApiKey } from "../../contract/openapi.ts"
import {
  Forbidden,
  NotFound,
  type Problem,
  ShuttingDown,
  TooManyRequests,
  Unauthorized
} from "../../contract/Problem.ts"
import { measured } from "../../kernel/counters.ts"
import { LimitSharing } from "../../storage/quota/SharedQuotas.ts"
import { Health } from "../Health.ts"
import { ServerSettings } from "../ServerSettings.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Identity from "./Identity.ts"
import * as Limits from "./Limits.ts"

export type { Caller } from "./Identity.ts"

export const isHealth = (path: string) => path.startsWith("/health/")

/** Path and route of a request, as far as access depends on them. */
interface Destination {
  readonly path: string
  readonly route: { readonly template: string } | undefined
}

type Decision = Problem | undefined

/** The decision needs a call to the store. */
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

/** Admits requests. Rejects them if the service is stopping, the key is wrong, or the client is over its rate limit. */
export const make = Effect.gen(function* () {
  const { apiKeys, apiKeysFile, isKeyed, metricsPort, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const keys = yield* ApiKeys.make(apiKeys, apiKeysFile)
  const identify = Identity.make(keys, isKeyed, trustProxy)
  const limits = Limits.make({ perMinute: rateLimit, ...(yield* LimitSharing) })
  yield* measured(Effect.sync(() => limits.measure(keys.all(), clock.unsafeCurrentTimeMillis())))

  const restricted = (identity: Identity.Identity, template: string | undefined): Decision => {
    const key = identity.key()
    if (key === undefined || template === undefined || key.allows(template)) return undefined
    limits.countRefused(key.name)
    return new Forbidden({ detail: "The key in the header x-api-key is not accepted for this route." })
  }

  return {
    /** Identifies the client of a request to this path. */
    identify,
    /** Returns the problem of a request that is not admitted; counts the request for the limits. */
    refusal: (identity: Identity.Identity, { path, route }: Destination): Decision | Undecided => {
      if (isHealth(path)) return undefined
      const isMetrics = path === "/metrics"
      if (isMetrics && metricsPort !== undefined)
        return new NotFound({ detail: "Metrics are served on a separate port." })
      if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
      const accepted = !isKeyed || identity.key() !== undefined
      const otherwise = (): Decision => {
        if (needsNoApiKey(path)) return undefined
        return accepted ? restricted(identity, route?.template) : unkeyed(identity.given)
      }
      // Requests for metrics are not rate-limited; those with a wrong key are, so that keys cannot be guessed.
      if (isMetrics && accepted) return otherwise()
      const limited = limits.take(identity, clock.unsafeCurrentTimeMillis())
      return Effect.isEffect(limited)
        ? { decision: Effect.map(limited, (later) => tooMany(later) ?? otherwise()) }
        : (tooMany(limited) ?? otherwise())
    },
    /** Counts the calls of a batch after the first, which was admitted before. */
    countRest: (identity: Identity.Identity, calls: number) =>
      Effect.suspend(() => {
        const limited = limits.takeRest(identity, clock.unsafeCurrentTimeMillis(), calls)
        return Effect.isEffect(limited) ? limited : Effect.succeed(limited)
      })
  }
})
