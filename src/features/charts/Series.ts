import * as Schema from "effect/Schema"
import { Candles, type ChartCoin, type ChartPeriod, chartCoins, chartPeriods } from "../../domain/Ohlc.ts"

/** Identifies a series. */
export interface SeriesId {
  readonly coin: ChartCoin
  readonly period: ChartPeriod
}

/** A series from one response of one source. Immutable: a refresh creates a new object. */
export interface Series extends SeriesId {
  /** Oldest first; never empty. */
  readonly candles: Candles
  /** The name of the source. */
  readonly source: string
  /** When it was fetched, ms. */
  readonly at: number
}

/** The stored value of a series: one entry per key. */
export const Stored = Schema.Struct({ candles: Candles, source: Schema.String })

/** Every series, in the order of the first fetch. */
export const everySeries: ReadonlyArray<SeriesId> = chartPeriods.flatMap((period) =>
  chartCoins.map((coin) => ({ coin, period }))
)

export const keyOf = ({ coin, period }: SeriesId): string => `${coin}/${period}`

const hour = 3_600_000
export const day = 24 * hour

/** The shape of CoinGecko's series by period, ms. */
export const shapes: Readonly<
  Record<
    ChartPeriod,
    {
      /** The time span of the series. */
      readonly span: number
      /** The length of a candle. CoinGecko restarts its four-day candles every month, so that some are shorter. */
      readonly candle: number
      /** Its refresh interval as a multiple of that of the 1-day series. */
      readonly lasts: number
    }
  >
> = {
  "1": { span: day, candle: hour / 2, lasts: 1 },
  "30": { span: 30 * day, candle: 4 * hour, lasts: 4 },
  "365": { span: 365 * day, candle: 4 * day, lasts: 12 }
}
