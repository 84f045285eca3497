import * as Effect from "effect/Effect"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { andThen, type OrEffect } from "../../kernel/orEffect.ts"
import type { Taking } from "../../storage/quota/Quota.ts"
import type { SharedQuotas } from "../../storage/quota/SharedQuotas.ts"
import * as RateLimit from "./RateLimit.ts"
import * as SharedBucket from "./SharedBucket.ts"

/** How many clients are remembered; the store still counts those of others. */
const maxClients = 20_000

/**
 * {@link RateLimit.make} over all processes that share the store. A request that the lease of this process covers, or that
 * is refused by what the store reported last, waits for nothing; for another the result is an effect that asks the store.
 * While the store is away this process has its share of every limit.
 */
export const make = (perMinute: number, quotas: SharedQuotas, processes: number): RateLimit.RateLimiter => {
  const alone = RateLimit.make(Math.max(1, perMinute / processes))
  const clients = BoundedMap.make<string, SharedBucket.SharedBucket>({ capacity: maxClients })
  const interval = 60_000 / perMinute
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

  const of = (client: string) => {
    const found =
      clients.get(client) ??
      SharedBucket.make(quotas, {
        name: () => `rate ${perMinute} ${SharedBucket.hashed(client)}`,
        capacity: perMinute,
        interval
      })
    clients.set(client, found)
    return found
  }

  /** Takes units where as many as `least` are free; the time until that is so, ms. */
  const spend = (
    client: string,
    now: number,
    { least, owing, units }: Pick<Taking, "least" | "owing" | "units">,
    otherwise: () => number
  ): OrEffect<number> => {
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

  return {
    take: (client, now) =>
      andThen(
        spend(client, now, { units: 1, least: 1, owing: false }, () => 1000 * alone.take(client, now)),
        seconds
      ),
    takeRest: (client, now, calls) =>
      andThen(
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
