import * as Schema from "effect/Schema"

/** A time in ms, and the value at that time. */
export type Point = readonly [at: number, value: number]

const Points = Schema.Array(Schema.Tuple(Schema.Finite, Schema.Finite))

/** How a coin did, in US dollars: times ascend, each occurs once, and every number is finite. There is at least one price. */
export const MarketSeries = Schema.Struct({
  prices: Points,
  /** Empty where no source returns it, as are the volumes. */
  marketCaps: Points,
  volumes: Points
})
export type MarketSeries = typeof MarketSeries.Type

/** As sources return it: in any order, with gaps, and sometimes without any numbers. */
export interface RawSeries {
  readonly prices: RawPoints
  readonly marketCaps: RawPoints
  readonly volumes: RawPoints
}

type RawPoints = ReadonlyArray<readonly [at: number, value: number | null]>

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How many days back a series may go, and the time from one of its points to the next, ms. */
export const steps = { 1: 5 * minute, 7: hour, 30: hour, 365: day } as const
export type Days = keyof typeof steps

/** How far a clock may be ahead of another, ms. */
const maxClockSkew = 10 * minute

/** The part of a series that can be relied on; or what is wrong with the whole. */
export const cleaned = (raw: RawSeries, days: Days, now: number): MarketSeries | string => {
  // The first of daily points may be of the midnight before.
  const earliest = now - (days + 2) * day
  const within = ([at, value]: RawPoints[number]): boolean =>
    at >= earliest && at <= now + maxClockSkew && value !== null && Number.isFinite(value)
  const positive = (points: RawPoints) => ordered(points.filter((point) => within(point) && (point[1] ?? 0) > 0))
  const prices = positive(raw.prices)
  const last = prices.at(-1)
  if (last === undefined) return "returned no prices for this period"
  if (last[0] < now - 2 * steps[days] - hour) return "returned outdated prices"
  return {
    prices,
    // An unknown value is returned as zero; no coin with a price has that capitalisation.
    marketCaps: positive(raw.marketCaps),
    volumes: ordered(raw.volumes.filter((point) => within(point) && (point[1] ?? -1) >= 0))
  }
}

/** By time; of several points of one time the first. */
const ordered = (points: RawPoints): ReadonlyArray<Point> =>
  [...points]
    .sort(([a], [b]) => a - b)
    .flatMap(
      ([at, value], index, sorted): ReadonlyArray<Point> =>
        value === null || at === sorted[index - 1]?.[0] ? [] : [[at, value]]
    )
