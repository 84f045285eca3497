import type { Coin } from "./coins.ts"
import * as World from "./World.ts"

/** Multiples of `step` ms between two times (ms), followed by the end time. */
export const times = (from: number, to: number, step: number): ReadonlyArray<number> => {
  const first = Math.ceil(from / step) * step
  const count = Math.max(0, Math.ceil((to - first) / step))
  return [...Array.from({ length: count }, (_, index) => first + index * step), to]
}

export interface Candle {
  readonly opensAt: number
  /** First ms after the candle; in the future for the newest candle. */
  readonly endsAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/**
 * The latest candles of `step` ms each, oldest first; the last is still open. Consistent with {@link World.priceOf}.
 */
export const candles = (coin: Coin, now: number, step: number, count: number): ReadonlyArray<Candle> => {
  const last = Math.floor(now / step) * step
  return Array.from({ length: count }, (_, index) => {
    const opensAt = last - (count - 1 - index) * step
    const endsAt = opensAt + step
    const prices = times(opensAt, Math.min(endsAt - 1, now), step / 8).map((at) => World.priceOf(coin, at))
    const open = World.priceOf(coin, opensAt)
    return {
      opensAt,
      endsAt,
      open,
      high: Math.max(open, ...prices),
      low: Math.min(open, ...prices),
      close: prices.at(-1) ?? open
    }
  })
}
