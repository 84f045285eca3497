import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CoinId } from "../../domain/CoinId.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { Prices, Pricing } from "./Pricing.ts"

/** The prices that are available by this time (ms); afterwards all coins are missing for `timeout`. */
export const pricesUntil = (
  pricing: typeof Pricing.Service,
  ids: ReadonlyArray<CoinId>,
  until: number
): Effect.Effect<Prices> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    timeoutTo(pricing.prices(ids), {
      duration: Math.max(until - now, 1),
      onTimeout: (): Effect.Effect<Prices> =>
        Effect.succeed({ found: new Map(), missing: new Map(ids.map((id) => [id, "timeout" as const])) })
    })
  )
