import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CoinId } from "../../domain/CoinId.ts"
import { Price } from "../../domain/Price.ts"
import * as Store from "../../storage/Store.ts"

/** A price that moves by more than this share of the last one, either way, is believed only when two sources tell it. */
const jump = 0.5

/** Two prices are this far apart at most to be compared, ms. */
const within = 10 * 60 * 1000

/** A change over 24 hours beyond this many percent is a glitch of the source more often than a market. */
const absurdChange = 10_000

/** How far a second source's price may be off the first one's to confirm it. */
const tolerance = 0.2

/** Whether a price needs a second source: it is far from the last one, or its own source says that it came from nowhere. */
export const isDoubtful = (price: Price, last: Price | undefined): boolean =>
  Math.abs(price.changePercent24h ?? 0) > absurdChange ||
  (last !== undefined &&
    Math.abs(price.updatedAt - last.updatedAt) <= within &&
    Math.abs(price.usd / last.usd - 1) > jump)

export const confirms = (second: Price, first: Price): boolean => Math.abs(second.usd / first.usd - 1) <= tolerance

const key = "refused"

/**
 * The last prices of coins whose new price was refused: what the next price is measured by, for the refused coin itself has
 * no price meanwhile. Kept in the store, so that a restart believes no glitch.
 */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("price-jumps", 1, Schema.Array(Price))
  const before = new Map<CoinId, Price>()
  for (const price of (yield* stored.getMany([key])).get(key)?.value ?? []) before.set(price.coinId, price)
  return {
    last: (id: CoinId): Price | undefined => before.get(id),
    /** Remembers the last prices of coins that were refused now, and forgets those of coins that have a price again. */
    settle: Effect.fnUntraced(function* (refused: Iterable<Price>, priced: Iterable<CoinId>) {
      const at = yield* Clock.currentTimeMillis
      const size = before.size
      let changed = false
      for (const id of priced) changed = before.delete(id) || changed
      for (const last of refused) {
        changed = changed || !before.has(last.coinId)
        before.set(last.coinId, last)
      }
      for (const [id, { updatedAt }] of before) if (at - updatedAt > within) before.delete(id)
      if (changed || before.size !== size)
        yield* stored.setMany(new Map([[key, { at, value: [...before.values()] }]]), within)
    })
  }
})
