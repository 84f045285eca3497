import * as Schema from "effect/Schema"
import { Candles, type ChartCoin, type ChartPeriod, chartCoins, chartPeriods } from "../../domain/Ohlc.ts"

/** Which series it is. */
export interface SeriesId {
  readonly coin: ChartCoin
  readonly period: ChartPeriod
}

/** A series of one answer of one source; nobody changes it, a refresh makes another one. */
export interface Series extends SeriesId {
  /** The oldest first; never empty. */
  readonly candles: Candles
  /** The name of the source. */
  readonly source: string
  /** When it was fetched, ms. */
  readonly at: number
}

/** What is stored of a series under its key, in one piece. */
export const Stored = Schema.Struct({ candles: Candles, source: Schema.String })

/** Every series there is, in the order in which they are loaded for the first time. */
export const everySeries: ReadonlyArray<SeriesId> = chartPeriods.flatMap((period) =>
  chartCoins.map((coin) => ({ coin, period }))
)

export const keyOf = ({ coin, period }: SeriesId): string => `${coin}/${period}`

const hour = 3_600_000
export const day = 24 * hour

/** What a series of a period looks like at CoinGecko, ms. */
export const shapes: Readonly<
  Record<
    ChartPeriod,
    {
      /** How far it reaches back. */
      readonly span: number
      /** How long one candle is. CoinGecko begins its four days anew every month, so that some are shorter. */
      readonly candle: number
      /** How many times as long as the 1-day series it stays as it is. */
      readonly lasts: number
    }
  >
> = {
  "1": { span: day, candle: hour / 2, lasts: 1 },
  "30": { span: 30 * day, candle: 4 * hour, lasts: 4 },
  "365": { span: 365 * day, candle: 4 * day, lasts: 12 }
}
