import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isOpen } from "../contract/openapi.ts"
import { Forbidden, type Problem, ShuttingDown, TooManyRequests, Unauthorized } from "../contract/Problem.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { forwarded, networkOf } from "./clientAddress.ts"
import { Health } from "./Health.ts"
import * as RateLimit from "./RateLimit.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** The address at the other end of the socket; there only where somebody needs it. */
export class ClientAddress extends Context.Tag("http/ClientAddress")<ClientAddress, string>() {}

/** What the gate looks at. */
export interface Visitor {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** At the other end of the socket. */
  readonly address: () => string
}

export const isHealth = (path: string) => path.startsWith("/health/")

/** Why requests must not go on: the service stops, a key is wrong, or they come too often. */
export interface AccessControl {
  /** Why this request must not go on; counts it for the rate limit. */
  readonly refusal: (visitor: Visitor, path: string) => Problem | undefined
  /** See {@link BatchRate}; undefined where there is no rate limit. */
  readonly countRest: ((visitor: Visitor, calls: number) => number) | undefined
}

export const make: Effect.Effect<AccessControl, never, ServerSettings | Health> = Effect.gen(function* () {
  const { apiKeys, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const accepted = ApiKeys.make(apiKeys)
  const limiter = rateLimit === 0 ? undefined : RateLimit.make(rateLimit)

  const client = (visitor: Visitor) => {
    const header = trustProxy ? visitor.header("x-forwarded-for") : undefined
    const address = header === undefined ? undefined : forwarded(header)
    if (address !== undefined) return address
    const direct = visitor.address()
    return networkOf(direct) ?? direct
  }

  const keyOf = (visitor: Visitor) => (apiKeys.length === 0 ? undefined : visitor.header("x-api-key"))

  /** A key that is wrong counts for its sender's address, so that keys cannot be guessed any faster. */
  const counted = (visitor: Visitor, validKey: string | undefined) =>
    validKey === undefined ? `at ${client(visitor)}` : `key ${validKey}`

  const limited = (visitor: Visitor, validKey: string | undefined): Problem | undefined => {
    const seconds = limiter?.take(counted(visitor, validKey), clock.unsafeCurrentTimeMillis()) ?? 0
    return seconds === 0
      ? undefined
      : new TooManyRequests({
          detail: `More than ${rateLimit} requests a minute. Try again in ${seconds} s.`,
          headers: { "retry-after": String(seconds) }
        })
  }

  const unkeyed = (given: string | undefined) =>
    given === undefined || given === ""
      ? new Unauthorized({ detail: "This service needs a key in the header x-api-key." })
      : new Forbidden({ detail: "The key in the header x-api-key is not accepted." })

  return {
    refusal: (visitor, path) => {
      if (isHealth(path)) return undefined
      if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
      const given = keyOf(visitor)
      const valid = given !== undefined && accepted(given)
      const tooMany = limited(visitor, valid ? given : undefined)
      if (tooMany !== undefined) return tooMany
      return apiKeys.length === 0 || valid || isOpen(path) ? undefined : unkeyed(given)
    },
    // Whoever comes so far has been let in: its key, where there is one, is valid.
    countRest:
      limiter &&
      ((visitor, calls) => limiter.takeRest(counted(visitor, keyOf(visitor)), clock.unsafeCurrentTimeMillis(), calls))
  }
})
