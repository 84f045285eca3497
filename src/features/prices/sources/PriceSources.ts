import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PriceSource } from "../PriceSource.ts"
import * as BinancePrices from "./BinancePrices.ts"
import * as CoinGeckoPrices from "./CoinGeckoPrices.ts"
import * as DefiLlamaPrices from "./DefiLlamaPrices.ts"

export type PriceSourceLayer = Layer.Layer<PriceSource, unknown, unknown>

/** One line per source, in the order in which they are queried. */
export const all = [CoinGeckoPrices.layer, DefiLlamaPrices.layer, BinancePrices.layer]

export type RegisteredSource = (typeof all)[number]

/** A source with constant USD prices that never expire; other coins have no price. */
export const fixed = (usd: Readonly<Record<string, number>>) =>
  Layer.succeed(PriceSource, {
    name: "fixed",
    batchSize: 250,
    prices: (ids) =>
      Effect.map(Clock.currentTimeMillis, (updatedAt) =>
        ids.flatMap((coinId) => {
          const price = usd[coinId]
          return price === undefined ? [] : [{ coinId, usd: price, updatedAt, source: "fixed" }]
        })
      ),
    standing: Effect.succeed({ state: "works" as const, usual: 0 })
  })
