import * as Effect from "effect/Effect"
import { isOpen } from "../../contract/openapi.ts"
import { Forbidden, type Problem, ShuttingDown, TooManyRequests, Unauthorized } from "../../contract/Problem.ts"
import { LimitSharing } from "../../storage/quota/SharedQuotas.ts"
import { Health } from "../Health.ts"
import { ServerSettings } from "../ServerSettings.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { forwarded, networkOf } from "./clientAddress.ts"
import * as RateLimit from "./RateLimit.ts"
import * as SharedRateLimit from "./SharedRateLimit.ts"

/** What decides whether a request may go on. */
export interface Caller {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The address at the other end of the socket. */
  readonly address: () => string
}

export const isHealth = (path: string) => path.startsWith("/health/")

/** Why requests must not go on: the service stops, a key is wrong, or they come too often. */
export interface AccessControl {
  /** Why this request must not go on; counts it for the rate limit. */
  readonly refusal: (caller: Caller, path: string) => Decision | Undecided
  /** See {@link BatchRate}; undefined where there is no rate limit. */
  readonly countRest: ((caller: Caller, calls: number) => Effect.Effect<RateLimit.RateRefusal | undefined>) | undefined
}

type Decision = Problem | undefined

/** The store has to be asked. */
export interface Undecided {
  readonly decision: Effect.Effect<Decision>
}

export const isUndecided = (found: Decision | Undecided): found is Undecided =>
  found !== undefined && "decision" in found

export const make: Effect.Effect<AccessControl, never, ServerSettings | Health> = Effect.gen(function* () {
  const { apiKeys, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const accepted = ApiKeys.make(apiKeys)
  const { processes, quotas } = yield* LimitSharing
  const limiter: RateLimit.RateLimiter | undefined =
    rateLimit === 0
      ? undefined
      : quotas === undefined
        ? RateLimit.make(Math.max(1, rateLimit / processes))
        : SharedRateLimit.make(rateLimit, quotas, processes)

  const client = (caller: Caller) => {
    const header = trustProxy ? caller.header("x-forwarded-for") : undefined
    const address = header === undefined ? undefined : forwarded(header)
    if (address !== undefined) return address
    const socket = caller.address()
    return networkOf(socket) ?? socket
  }

  const keyOf = (caller: Caller) => (apiKeys.length === 0 ? undefined : caller.header("x-api-key"))

  /** A key that is wrong counts for its sender's address, so that keys cannot be guessed any faster. */
  const counted = (caller: Caller, validKey: string | undefined) =>
    validKey === undefined ? `at ${client(caller)}` : `key ${validKey}`

  const tooMany = (seconds: number): Decision => {
    const refused = RateLimit.refusal(rateLimit, seconds)
    return (
      refused &&
      new TooManyRequests({
        detail: `More than ${rateLimit} requests a minute. Try again in ${refused.seconds} s.`,
        headers: refused.headers
      })
    )
  }

  const unkeyed = (given: string | undefined) =>
    given === undefined || given === ""
      ? new Unauthorized({ detail: "This service needs a key in the header x-api-key." })
      : new Forbidden({ detail: "The key in the header x-api-key is not accepted." })

  return {
    refusal: (caller, path) => {
      if (isHealth(path)) return undefined
      if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
      const given = keyOf(caller)
      const valid = given !== undefined && accepted(given)
      const otherwise = (): Decision => (apiKeys.length === 0 || valid || isOpen(path) ? undefined : unkeyed(given))
      if (limiter === undefined) return otherwise()
      const seconds = limiter.take(counted(caller, valid ? given : undefined), clock.unsafeCurrentTimeMillis())
      return typeof seconds === "number"
        ? (tooMany(seconds) ?? otherwise())
        : { decision: Effect.map(seconds, (later) => tooMany(later) ?? otherwise()) }
    },
    // A request that has come so far was admitted: its key, where there is one, is valid.
    countRest:
      limiter &&
      ((caller, calls) =>
        Effect.suspend(() => {
          const seconds = limiter.takeRest(counted(caller, keyOf(caller)), clock.unsafeCurrentTimeMillis(), calls)
          return Effect.map(typeof seconds === "number" ? Effect.succeed(seconds) : seconds, (seconds) =>
            RateLimit.refusal(rateLimit, seconds)
          )
        }))
  }
})
