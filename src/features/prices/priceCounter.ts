import * as MetricKey from "effect/MetricKey"
import type { Reason } from "../../domain/Reason.ts"
import { counters } from "../../kernel/counters.ts"
import type { Prices } from "./Prices.ts"

const requested = MetricKey.counter("coin_prices_total", {
  description: "Requested prices of coins that the market data provider lists",
  incremental: true
})
const unpriced = MetricKey.counter("coin_prices_missing_total", {
  description: "Requested prices of listed coins that are missing, by error code",
  incremental: true
})

/** Returns a function that counts requested prices in the metrics. Clients can request ids of no coin: they do not count. */
export const priceCounter = () => {
  const countAll = counters(requested, {})
  const countMissing = counters(unpriced, {
    code: ["no_price", "timeout", "rate_limited", "upstream_error", "bad_answer"] satisfies ReadonlyArray<Reason>
  })
  return ({ found, missing }: Prices, listed: ReadonlySet<string> | undefined): void => {
    let count = found.size
    for (const [id, reason] of missing) {
      if (listed?.has(id) === false) continue
      count++
      countMissing(1, reason)
    }
    countAll(count)
  }
}
