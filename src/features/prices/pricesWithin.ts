import * as Effect from "effect/Effect"
import type { CoinId } from "../../domain/CoinId.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { Prices, Pricing } from "./Pricing.ts"

/** The prices; if they are not available within this time (ms), every coin is missing for `timeout`. */
export const pricesWithin = (
  pricing: typeof Pricing.Service,
  ids: ReadonlyArray<CoinId>,
  duration: number
): Effect.Effect<Prices> =>
  timeoutTo(pricing.prices(ids), {
    duration,
    onTimeout: (): Effect.Effect<Prices> =>
      Effect.succeed({ found: new Map(), missing: new Map(ids.map((id) => [id, "timeout" as const])) })
  })
