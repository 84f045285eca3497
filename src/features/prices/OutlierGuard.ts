import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CoinId } from "../../domain/CoinId.ts"
import { Price } from "../../domain/Price.ts"
import * as Store from "../../storage/Store.ts"

/** A price that rises or falls by more than this share of the last price is accepted only if two sources return it. */
const jump = 0.5

/** Prices are compared only if their times differ by at most this, ms. */
const within = 10 * 60 * 1000

/** A change over 24 hours beyond this many percent is more often an error of the source than a market move. */
const absurdChange = 10_000

/** Maximum relative difference at which the price of a second source confirms the first. */
const tolerance = 0.2

/** Whether a price needs a second source: it is far from the last price, or its source reports an implausible change. */
export const isDoubtful = (price: Price, last: Price | undefined): boolean =>
  Math.abs(price.changePercent24h ?? 0) > absurdChange ||
  (last !== undefined &&
    Math.abs(price.updatedAt - last.updatedAt) <= within &&
    Math.abs(price.usd / last.usd - 1) > jump)

export const confirms = (second: Price, first: Price): boolean => Math.abs(second.usd / first.usd - 1) <= tolerance

const key = "refused"

/**
 * The last accepted prices of coins whose new price was refused: the next price is compared with them, because a
 * refused coin has no current price. Stored so that a restart does not accept an outlier.
 */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("price-jumps", 1, Schema.Array(Price))
  const lastPrices = new Map<CoinId, Price>()
  for (const price of (yield* stored.getMany([key])).get(key)?.value ?? []) lastPrices.set(price.coinId, price)
  return {
    last: (id: CoinId): Price | undefined => lastPrices.get(id),
    /** Stores the last prices of coins whose price was just refused, and drops those of coins with a price again. */
    settle: Effect.fnUntraced(function* (refused: Iterable<Price>, priced: Iterable<CoinId>) {
      const at = yield* Clock.currentTimeMillis
      const size = lastPrices.size
      let changed = false
      for (const id of priced) changed = lastPrices.delete(id) || changed
      for (const last of refused) {
        changed = changed || !lastPrices.has(last.coinId)
        lastPrices.set(last.coinId, last)
      }
      for (const [id, { updatedAt }] of lastPrices) if (at - updatedAt > within) lastPrices.delete(id)
      if (changed || lastPrices.size !== size)
        yield* stored.setMany(new Map([[key, { at, value: [...lastPrices.values()] }]]), within)
    })
  }
})
