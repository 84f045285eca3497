import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { type Level, maxSkew, type Taking } from "../../storage/quota/Quota.ts"
import type { Quota, SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as RateLimit from "./RateLimit.ts"

/** How many clients are remembered; the store still counts those of others. */
const maxClients = 20_000

/** What this process has of a client's limit. */
interface ClientQuota {
  readonly quota: Quota
  /** The time until so many requests more are accepted by what the store reported last, ms. */
  readonly wait: (units: number, now: number) => number
  /** Requests that were accepted since. */
  readonly add: (units: number) => void
}

/** Clients in the store: neither a key nor an address is readable there. */
const nameOf = (client: string, perMinute: number) =>
  `rate ${perMinute} ${createHash("sha256").update(client).digest("base64url")}`

const clientQuota = (quotas: SharedQuotas, client: string, perMinute: number): ClientQuota => {
  const interval = 60_000 / perMinute
  let name: string | undefined
  let filled = 0
  let at = 0
  const settled = (now: number) => {
    // A time that is left from a clock that was set back.
    if (at > now + maxSkew) at = now
    return Math.max(0, filled - Math.max(0, now - at) / interval)
  }
  const quota = quotas.of(
    (now) => {
      name ??= nameOf(client, perMinute)
      return [{ name, capacity: perMinute, interval, known: { filled: settled(now), since: now } }]
    },
    ([level]: ReadonlyArray<Level>) => {
      if (level !== undefined) ({ at, filled } = level)
    }
  )
  return {
    quota,
    wait: (units, now) => {
      const missing = settled(now) + units - perMinute
      return missing <= 1e-6 ? 0 : missing * interval
    },
    add: (units) => {
      filled += units
    }
  }
}

/**
 * {@link RateLimit.make} over all processes that share the store. A request that the lease of this process covers, or that
 * is refused by what the store reported last, waits for nothing; for another the result is an effect that asks the store.
 * While the store is away this process has its share of every limit.
 */
export const make = (perMinute: number, quotas: SharedQuotas, processes: number): RateLimit.RateLimiter => {
  const alone = RateLimit.make(Math.max(1, perMinute / processes))
  const clients = BoundedMap.make<string, ClientQuota>({ capacity: maxClients })
  const interval = 60_000 / perMinute
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

  const of = (client: string) => {
    const found = clients.get(client) ?? clientQuota(quotas, client, perMinute)
    clients.set(client, found)
    return found
  }

  /** Takes units where as many as `least` are free; the time until that is so, ms. */
  const spend = (
    client: string,
    now: number,
    { least, owing, units }: Pick<Taking, "least" | "owing" | "units">,
    otherwise: () => number
  ): number | Effect.Effect<number> => {
    if (quotas.isAway()) return otherwise()
    const { add, quota, wait } = of(client)
    if (quota.spend(units, now)) {
      add(units)
      return 0
    }
    const refused = wait(least, now)
    if (refused > 0) return refused
    return Effect.flatMap(Effect.clock, (clock) =>
      Effect.map(quota.ask({ units, least, owing, reserve: 0, wait: 0 }), (granted) => {
        if (granted !== undefined) return 0
        if (quotas.isAway()) return otherwise()
        return Math.max(1, wait(least, clock.unsafeCurrentTimeMillis()))
      })
    )
  }

  const mapped = (wait: number | Effect.Effect<number>, to: (wait: number) => number) =>
    typeof wait === "number" ? to(wait) : Effect.map(wait, to)

  return {
    take: (client, now) =>
      mapped(
        spend(client, now, { units: 1, least: 1, owing: false }, () => 1000 * alone.take(client, now)),
        seconds
      ),
    takeRest: (client, now, calls) =>
      mapped(
        spend(
          client,
          now,
          { units: calls, least: Math.min(calls, perMinute - 1), owing: true },
          () => 1000 * alone.takeRest(client, now, calls)
        ),
        // The next try takes one for its request, too.
        (wait) => (wait === 0 ? 0 : seconds(wait + interval))
      )
  }
}
