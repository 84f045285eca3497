import * as Schema from "effect/Schema"
import { CoinId } from "./CoinId.ts"

/** Price of one coin from one source. Fields that the source does not return are absent. */
export const Price = Schema.Struct({
  coinId: CoinId,
  /** US dollars per whole coin. Zero and values beyond any real market price are rejected. */
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
  /** The time of the change and valuation, ms, if they are older than the price. */
  marketAt: Schema.optional(Schema.Finite),
  name: Schema.optional(Schema.String),
  symbol: Schema.optional(Schema.String),
  image: Schema.optional(Schema.String)
})
export type Price = typeof Price.Type
