import { type Candles, type ChartPeriod, faultOf } from "../../domain/Ohlc.ts"
import { day, type Series, shapes } from "./Series.ts"

/** Clocks differ by so much, ms. */
const slack = 5 * 60_000

const newestOf = (candles: Candles): number => candles.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY

/** Why an answer cannot be the series of this period; undefined where it can. One bad candle is enough to refuse all. */
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
 * Whether it has the candles that its period has. A window that moves over candles of a fixed length holds now one more
 * and now one less, and CoinGecko's months are not all alike: one in twenty may be missing.
 */
const whole = (candles: Candles, period: ChartPeriod): boolean => {
  const { candle, span } = shapes[period]
  return candles.length * candle >= 0.95 * span
}

/**
 * Why a usable answer does not replace the series that is held; undefined where it does. A part never replaces a longer
 * series that is still good, which it is until two refreshes and a candle were missed; then half of it has to do, for
 * something that moves on is better than a chart that stands still.
 */
export const inferior = (
  { candles, source }: Pick<Series, "candles" | "source">,
  held: Series,
  every: number,
  now: number
): string | undefined => {
  const { candle } = shapes[held.period]
  const [newest, before] = [newestOf(candles), newestOf(held.candles)]
  // Left from a clock that was set back.
  if (before > now + candle + slack) return undefined
  // Sources do not all cut the year at the same days: the running candle of one may end before that of another.
  if (newest <= before - (source === held.source ? 1 : candle)) return "returned older candles than before"
  if (whole(candles, held.period) || candles.length >= held.candles.length) return undefined
  const good = now - before <= 2 * every + candle
  return !good && newest > before && 2 * candles.length >= held.candles.length
    ? undefined
    : "returned fewer candles than before"
}
