import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"
import { Candles, type ChartCoin, type ChartPeriod, chartCoins, chartPeriods } from "../../domain/charts/Ohlc.ts"

/** The current state of a series and of its next fetch. */
export interface SeriesSlot {
  readonly id: SeriesId
  readonly key: string
  /** The refresh interval, ms. */
  readonly every: number
  /** Done after the first attempt, successful or not. */
  readonly firstAttempt: Deferred.Deferred<void>
  series: Series | undefined
  /** Failed attempts since the last successful one. */
  failures: number
  /** The time of the next attempt after a failed one, ms. */
  notBefore: number
  /** Why it is missing, for clients. */
  message: string
}

export const notYet = "it has not been fetched yet"

export const slotOf = (id: SeriesId, base: number): SeriesSlot => ({
  id,
  key: keyOf(id),
  every: base * shapes[id.period].lasts,
  firstAttempt: Deferred.unsafeMake(FiberId.none),
  series: undefined,
  failures: 0,
  notBefore: 0,
  message: notYet
})

/** Whether a stored series replaces the current one. A series dated in the future predates a clock reset. */
export const isNewer = (stored: Series, { series: current }: SeriesSlot, now: number): boolean =>
  current === undefined || (stored.at !== current.at && (stored.at > current.at || current.at > now))

export const takeSeries = (slot: SeriesSlot, series: Series): void => {
  slot.series = series
  slot.failures = 0
  slot.notBefore = 0
  Deferred.unsafeDone(slot.firstAttempt, Exit.void)
}

/** After each failed attempt the pause doubles, from a minute up to the refresh interval. */
export const failSlot = (slot: SeriesSlot, message: string, now: number): void => {
  slot.notBefore = now + Math.min(60_000 * 2 ** slot.failures, slot.every)
  slot.failures++
  slot.message = message
  Deferred.unsafeDone(slot.firstAttempt, Exit.void)
}

/** When the series is due by its age; a series dated in the future has no usable age and is due immediately. */
const expiry = ({ every, series }: SeriesSlot, now: number): number =>
  series === undefined || series.at > now ? 0 : series.at + every

/** End of the pause. A pause longer than the refresh interval started before the clock was set back, and is ignored. */
const pausedUntil = ({ every, notBefore }: SeriesSlot, now: number): number => (notBefore > now + every ? 0 : notBefore)

export const dueAt = (slot: SeriesSlot, now: number): number => Math.max(expiry(slot, now), pausedUntil(slot, now))

/** The next slot to fetch: the first due slot never loaded, else the most overdue, else the next due slot. */
export const nextSlot = (slots: ReadonlyArray<SeriesSlot>, now: number): SeriesSlot => {
  const due = slots.filter((slot) => dueAt(slot, now) <= now)
  const rank = due.length > 0 ? (slot: SeriesSlot) => expiry(slot, now) : (slot: SeriesSlot) => dueAt(slot, now)
  return (due.length > 0 ? due : slots).reduce((first, slot) => {
    if (due.length > 0 && (first.series === undefined) !== (slot.series === undefined))
      return first.series === undefined ? first : slot
    return rank(slot) < rank(first) ? slot : first
  })
}

export interface SeriesId {
  readonly coin: ChartCoin
  readonly period: ChartPeriod
}

/** A series from one response of one source. Immutable: a refresh creates a new object. */
export interface Series extends SeriesId {
  /** Oldest first; never empty. */
  readonly candles: Candles
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
