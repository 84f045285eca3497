import * as Schema from "effect/Schema"
import { CoinId } from "./CoinId.ts"

/** What one coin costs, by the source that said so. What the source does not tell is absent. */
export const Price = Schema.Struct({
  coinId: CoinId,
  /** US dollars for one whole coin. Zero, and what lies beyond the bounds of any real market, is no price. */
  usd: Schema.Number.pipe(Schema.between(1e-30, 1e12)),
  /** When the source last changed it, ms. */
  updatedAt: Schema.Finite,
  /** The name of the source. */
  source: Schema.String,
  /** US dollars. */
  change24h: Schema.optional(Schema.Finite),
  changePercent24h: Schema.optional(Schema.Finite),
  /** Fully diluted valuation, US dollars. */
  fdv: Schema.optional(Schema.Finite),
  name: Schema.optional(Schema.String),
  symbol: Schema.optional(Schema.String),
  image: Schema.optional(Schema.String)
})
export type Price = typeof Price.Type
