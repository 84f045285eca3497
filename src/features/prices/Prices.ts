import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import { counters } from "../../kernel/counters.ts"
import type { Tally } from "../../kernel/Tally.ts"

/** Why a coin has no current price, for people. */
export const noPrice = (reason: Reason): string => reasons[reason] ?? reasons.no_price

const reasons: Partial<Record<Reason, string>> & { readonly no_price: string } = {
  no_price: "no source has a current price",
  timeout: "the price sources timed out",
  rate_limited: "the rate limit of the price sources is reached",
  upstream_error: "no price source could be reached",
  bad_answer: "no price source returned a usable answer"
}

/** Why a token with a multiplier has no price, for people. */
export const unknownUnit = "no source has a current price that is known to be for the displayed unit"

/** Why numbers in a currency are null, for people. */
export const noRate = (currency: string): string => `the exchange rate of ${currency} is not available`

const requested = "Requested prices of coins that the market data provider lists"
const unpriced = "Requested prices of listed coins that are missing, by error code"

/** Returns a function that counts requested prices in the metrics. Clients can request ids of no coin: they do not count. */
export const priceCounter = () => {
  const countAll = counters("coin_prices_total", requested, {})
  const countMissing = counters("coin_prices_missing_total", unpriced, {
    code: ["no_price", "timeout", "rate_limited", "upstream_error", "bad_answer"] satisfies ReadonlyArray<Reason>
  })
  return (tally: Tally | undefined, { found, missing }: Prices, listed: ReadonlySet<string> | undefined): void => {
    let unread = 0
    for (const [id, reason] of missing) {
      if (listed?.has(id) === false) continue
      unread++
      countMissing(1, reason)
    }
    countAll(found.size + unread)
    if (tally !== undefined) tally.nulls += unread
  }
}

/** Each requested coin is in exactly one of the maps. */
export interface Prices {
  readonly found: ReadonlyMap<CoinId, Price>
  /** Why there is no price. */
  readonly missing: ReadonlyMap<CoinId, Reason>
}

/** The prices in memory. */
export interface PriceMemory {
  /** The price of a coin, if it is current at this time (ms). */
  readonly current: (id: CoinId, now: number) => Price | undefined
  /** Increases whenever a price changes. */
  readonly version: () => number
  /** Maximum age of a price whose source has no separate limit, ms. */
  readonly maxAge: number
  /** When a price stops being current (ms): at the age limit of its source. */
  readonly expires: (price: Price) => number
}
