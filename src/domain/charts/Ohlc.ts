import * as Schema from "effect/Schema"

/** The coins that have charts, by their ids at CoinGecko. */
export const chartCoins = [
  "bitcoin",
  "ethereum",
  "cardano",
  "binancecoin",
  "shiba-inu",
  "chainlink",
  "dogecoin"
] as const
export type ChartCoin = (typeof chartCoins)[number]

/** Length of a chart in days. */
export const chartPeriods = ["1", "30", "365"] as const
export type ChartPeriod = (typeof chartPeriods)[number]

/**
 * The END of the candle (UNIX time, ms), then open, high, low and close in US dollars. The newest candle of a series is
 * still running: its end is in the future, and all its values except open may change.
 */
export type Candle = readonly [end: number, open: number, high: number, low: number, close: number]

/** Returns why candles are invalid, worded to follow the name of their source; undefined if they are valid. */
export const candleFault = (candles: ReadonlyArray<ReadonlyArray<number>>): string | undefined => {
  if (candles.length === 0) return "returned no candles"
  let before = Number.NEGATIVE_INFINITY
  for (const [index, candle] of candles.entries()) {
    const [end = 0, open = 0, high = 0, low = 0, close = 0] = candle
    if (candle.length !== 5 || !candle.every((value) => Number.isFinite(value) && value > 0))
      return `returned a candle that is not five positive numbers (at ${index})`
    if (end <= before) return `returned candles that are not in the order of time (at ${index})`
    if (high < Math.max(open, close) || low > Math.min(open, close))
      return `returned a candle with a price outside of its high and low (at ${index})`
    before = end
  }
  return undefined
}

/** Candles as stored. Invalid candles fail to decode. */
export const Candles = Schema.Array(
  Schema.Tuple(Schema.Number, Schema.Number, Schema.Number, Schema.Number, Schema.Number)
).pipe(Schema.filter((candles) => candleFault(candles)))
export type Candles = typeof Candles.Type
