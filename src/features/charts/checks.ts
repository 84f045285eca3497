import { type Candles, type ChartPeriod, faultOf } from "../../domain/Ohlc.ts"
import { day, type Series, shapes } from "./Series.ts"

/** Allowed difference between clocks, ms. */
const slack = 5 * 60_000

const newestOf = (candles: Candles): number => candles.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY

/** Why these candles cannot be the series of this period; undefined where they can. One bad candle refuses all. */
export const unusable = (candles: Candles, period: ChartPeriod, now: number): string | undefined => {
  const { candle, span } = shapes[period]
  const fault = faultOf(candles)
  if (fault !== undefined) return fault
  const newest = newestOf(candles)
  if (newest > now + candle + slack) return "returned candles of the future"
  if (newest < now - 3 * candle - Math.min(day, span / 4)) return "returned outdated candles"
  const reach = newest - (candles[0]?.[0] ?? newest)
  if (reach < span / 2 - candle) return "returned candles of only a part of the period"
  return reach > 1.1 * span + candle ? "returned candles of a longer period" : undefined
}

/**
 * Whether the candles cover the period. A moving window over candles of a fixed length contains one more or one less from
 * time to time, and CoinGecko's months differ in length: one candle in twenty may be missing.
 */
const whole = (candles: Candles, period: ChartPeriod): boolean => {
  const { candle, span } = shapes[period]
  return candles.length * candle >= 0.95 * span
}

/**
 * Why usable candles do not replace the current series; undefined where they do. A shorter series never replaces a longer
 * one that is still good, which it is until two refreshes and a candle were missed. After that half the length is enough:
 * a shorter chart is better than an outdated one.
 */
export const inferior = (
  { candles, source }: Pick<Series, "candles" | "source">,
  current: Series,
  every: number,
  now: number
): string | undefined => {
  const { candle } = shapes[current.period]
  const [newest, before] = [newestOf(candles), newestOf(current.candles)]
  // Left from a clock that was set back.
  if (before > now + candle + slack) return undefined
  // Sources divide the year at different days: the running candle of one may end before that of another.
  if (newest <= before - (source === current.source ? 1 : candle)) return "returned older candles than before"
  if (whole(candles, current.period) || candles.length >= current.candles.length) return undefined
  const good = now - before <= 2 * every + candle
  return !good && newest > before && 2 * candles.length >= current.candles.length
    ? undefined
    : "returned fewer candles than before"
}
