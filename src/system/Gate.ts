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

/** What the gate looks at. */
export interface Visitor {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** At the other end of the socket. */
  readonly address: () => string
}

/** An address is shorter; what is longer is not kept as a whole. */
const maxAddress = 64

/** The nearest proxy has written the last address; those before it are what clients say of themselves. */
const forwarded = (visitor: Visitor) => {
  const addresses = visitor.header("x-forwarded-for")
  return addresses
    ?.slice(addresses.lastIndexOf(",") + 1)
    .trim()
    .slice(0, maxAddress)
}

const isHealth = (path: string) => path.startsWith("/health/")

/** Says why a request must not go on: the service stops, its key is wrong, or it comes too often. Counts it. */
export const make = Effect.gen(function* () {
  const { apiKeys, rateLimit, trustProxy } = yield* ServerSettings
  const health = yield* Health
  const clock = yield* Effect.clock
  const accepted = ApiKeys.make(apiKeys)
  const limiter = rateLimit === 0 ? undefined : RateLimit.make(rateLimit)

  const client = (visitor: Visitor) => (trustProxy ? forwarded(visitor) : undefined) ?? visitor.address()

  /** A key that is wrong counts for its sender's address, so that keys cannot be guessed any faster. */
  const limited = (visitor: Visitor, key: string | undefined): Problem | undefined => {
    if (limiter === undefined) return undefined
    const who = key === undefined ? `at ${client(visitor)}` : `key ${key}`
    const seconds = limiter.take(who, clock.unsafeCurrentTimeMillis())
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

  return (visitor: Visitor, path: string): Problem | undefined => {
    if (isHealth(path)) return undefined
    if (health.current() === "stopping") return new ShuttingDown({ detail: "This instance is shutting down." })
    const given = apiKeys.length === 0 ? undefined : visitor.header("x-api-key")
    const valid = given !== undefined && accepted(given)
    const tooMany = limited(visitor, valid ? given : undefined)
    if (tooMany !== undefined) return tooMany
    return apiKeys.length === 0 || valid || isOpen(path) ? undefined : unkeyed(given)
  }
})
