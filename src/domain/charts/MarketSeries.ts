import * as Schema from "effect/Schema"

/** A time (UNIX, ms) and the value at that time. */
export type Point = readonly [at: number, value: number]

const Points = Schema.Array(Schema.Tuple(Schema.Finite, Schema.Finite))

/** Market history of a coin, US dollars: ascending times without duplicates, finite numbers, at least one price. */
export const MarketSeries = Schema.Struct({
  prices: Points,
  /** `marketCaps` and `volumes` are empty if no source returns them. */
  marketCaps: Points,
  volumes: Points
})
export type MarketSeries = typeof MarketSeries.Type

/** A series as sources return it: in any order, with gaps, and sometimes without numbers. */
export interface RawSeries {
  readonly prices: RawPoints
  readonly marketCaps: RawPoints
  readonly volumes: RawPoints
}

type RawPoints = ReadonlyArray<readonly [at: number, value: number | null]>

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Interval between the points of a series in ms, by the length of the series in days. */
export const pointIntervals = { 1: 5 * minute, 7: hour, 30: hour, 365: day } as const
export type Days = keyof typeof pointIntervals

/** Tolerated clock skew, ms. */
const maxClockSkew = 10 * minute

/** Returns the valid points of a series, or a text that says why the whole series is unusable. */
export const validSeries = (raw: RawSeries, days: Days, now: number): MarketSeries | string => {
  // The first daily point may be that of the midnight before.
  const earliest = now - (days + 2) * day
  const within = ([at, value]: RawPoints[number]): boolean =>
    at >= earliest && at <= now + maxClockSkew && value !== null && Number.isFinite(value)
  const positive = (points: RawPoints) => ordered(points.filter((point) => within(point) && (point[1] ?? 0) > 0))
  const prices = positive(raw.prices)
  const last = prices.at(-1)
  if (last === undefined) return "returned no prices for this period"
  if (last[0] < now - 2 * pointIntervals[days] - hour) return "returned outdated prices"
  return {
    prices,
    // Sources return zero for an unknown market cap; a coin with a price cannot have that market cap.
    marketCaps: positive(raw.marketCaps),
    volumes: ordered(raw.volumes.filter((point) => within(point) && (point[1] ?? -1) >= 0))
  }
}

/** Sorts by time and keeps the first of several points with the same time. */
const ordered = (points: RawPoints): ReadonlyArray<Point> =>
  [...points]
    .sort(([a], [b]) => a - b)
    .flatMap(
      ([at, value], index, sorted): ReadonlyArray<Point> =>
        value === null || at === sorted[index - 1]?.[0] ? [] : [[at, value]]
    )
