import * as Effect from "effect/Effect"
import { CoinId } from "../../domain/CoinId.ts"
import type { Candle, Candles, ChartPeriod } from "../../domain/charts/Ohlc.ts"
import { Binance, type Kline, type KlineInterval } from "../../providers/Binance.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import type { Source } from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type SeriesId, shapes } from "./Series.ts"

export interface ChartSource extends Source {
  /** Its name in metrics and in the metadata. */
  readonly name: string
  /** The series, with the END of each candle as its time and including the running candle. Not validated. */
  readonly series: (id: SeriesId) => Effect.Effect<Candles, UpstreamError>
}

/** CoinGecko dates a candle by its end. The newest candle is still running, so its end is in the future. */
export const coinGecko = Effect.map(
  CoinGecko,
  ({ candles, standing }): ChartSource => ({
    name: "coingecko",
    standing,
    series: ({ coin, period }) => candles(CoinId.make(coin), Number(period))
  })
)

// Binance dates a candle by its opening, CoinGecko and this service by its end: opening + length (its close time is a
// millisecond less). Both also return the running candle, whose end is in the future.

/** Candles per period as at CoinGecko; 368 days cover 92 complete four-day candles, wherever in a candle today is. */
const queries: Readonly<Record<ChartPeriod, readonly [interval: KlineInterval, count: number]>> = {
  "1": ["30m", 48],
  "30": ["4h", 180],
  "365": ["1d", 368]
}

export const binance = Effect.map(
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
