import * as Effect from "effect/Effect"
import { CoinId } from "../../../domain/CoinId.ts"
import type { Candle, Candles, ChartPeriod } from "../../../domain/Ohlc.ts"
import { Binance, type Kline, type KlineInterval } from "../../../providers/Binance.ts"
import type { ChartSource } from "../ChartSource.ts"
import { shapes } from "../Series.ts"

// The exchange dates a candle by its opening, CoinGecko and this service by its end: opening + length (the exchange's
// close time is a millisecond less). Both also return the running candle, whose end is in the future.

/** Candles per period as at CoinGecko; 368 days cover 92 complete four-day candles, wherever in a candle today is. */
const queries: Readonly<Record<ChartPeriod, readonly [interval: KlineInterval, count: number]>> = {
  "1": ["30m", 48],
  "30": ["4h", 180],
  "365": ["1d", 368]
}

export const source = Effect.map(
  Binance,
  ({ klines, standing }): ChartSource => ({
    name: "binance",
    standing,
    series: ({ coin, period }) =>
      Effect.map(klines(CoinId.make(coin), ...queries[period]), (found) => joined(found, shapes[period].candle))
  })
)

/**
 * Joins klines to candles of this length, which end at multiples of it since the epoch, so that a completed candle
 * never changes. Omits a first candle whose beginning is missing, because its prices would be wrong.
 */
export const joined = (klines: ReadonlyArray<Kline>, length: number): Candles => {
  const candles: Array<Candle> = []
  for (const { close, high, low, open, opensAt } of klines) {
    const end = (Math.floor(opensAt / length) + 1) * length
    const last = candles.at(-1)
    if (last?.[0] === end)
      candles[candles.length - 1] = [end, last[1], Math.max(last[2], high), Math.min(last[3], low), close]
    else candles.push([end, open, high, low, close])
  }
  return (klines[0]?.opensAt ?? 0) % length === 0 ? candles : candles.slice(1)
}
