/** Level of a leaky bucket, in units, at a time (ms). */
export interface Level {
  readonly filled: number
  readonly at: number
  /** When counting started, ms. */
  readonly since: number
}

/** A leaky bucket that all processes of the store share. */
export interface Bucket {
  /** Unique in the store. */
  readonly name: string
  /** Units that may be taken at once when the bucket is empty. */
  readonly capacity: number
  /** Time in which one unit leaks, ms. */
  readonly interval: number
  /** The level that this process knows; counts if it is above the stored one: the store may have lost writes. */
  readonly localLevel: Pick<Level, "filled" | "since">
}

/** Request for the same number of units from each of several buckets: granted from all or from none. */
export interface QuotaRequest {
  readonly buckets: ReadonlyArray<Bucket>
  /** What these buckets have in common, if they are several: a store of several servers keeps them at one of them. */
  readonly place?: string
  readonly units: number
  /** All `units` are granted if at least this number is free, else none. Units that were not free become debt. */
  readonly minUnits: number
  /** Units that become free within this time count as free, ms. */
  readonly wait: number
  /** The share of each capacity, 0 to 1, that must remain free. */
  readonly reserve: number
}

export interface QuotaResult {
  readonly isGranted: boolean
  /** The levels afterwards, in the order of the buckets. */
  readonly levels: ReadonlyArray<Level>
}

/** Tolerance for rounding errors in sums of fractions; less than any relevant part of a unit. */
export const tiny = 1e-6

/** Tolerated clock skew between machines, ms; a later time was written before a clock was set back. */
export const maxSkew = 60_000

/** Maximum lifetime of a level, ms. */
export const longestStay = 62 * 24 * 60 * 60 * 1000

/** Extra lifetime of a level that has leaked, ms: the store and this process may measure time differently. */
export const slack = 10 * 60_000

/** Lifetime of a level, ms: until all its units have leaked. */
export const lifetimeOf = (filled: number, { interval }: Bucket) =>
  Math.ceil(Math.min(filled * interval + slack, longestStay))

/**
 * The level at this time (ms) of a bucket that leaks one unit per interval. A level that is later by at most `skew` ms is
 * that of another clock, and leaks from its own time on; a later one was written before the clock was set back.
 */
export const leakedUntil = <L extends Pick<Level, "filled" | "at">>(
  level: L,
  interval: number,
  now: number,
  skew = maxSkew
): L => {
  const from = level.at > now + skew ? now : level.at
  return {
    ...level,
    filled: Math.max(0, level.filled - Math.max(0, now - from) / interval),
    at: Math.max(from, now)
  }
}

/** Grants or denies units, given the stored levels (undefined if absent). The Redis script does the same. */
export const take = (
  { buckets, minUnits, reserve, units, wait }: QuotaRequest,
  stored: ReadonlyArray<Level | undefined>,
  now: number
): QuotaResult => {
  const before = buckets.map(({ interval, localLevel }, index) => {
    const known = { ...localLevel, at: now }
    const level = leakedUntil(stored[index] ?? known, interval, now)
    return { ...level, filled: Math.max(level.filled, known.filled) }
  })
  const isGranted = buckets.every(
    // An empty bucket has at least one free unit.
    ({ capacity, interval }, index) =>
      Math.max(1, capacity * (1 - reserve)) + wait / interval - (before[index]?.filled ?? 0) + tiny >= minUnits
  )
  return { isGranted, levels: before.map((level) => ({ ...level, filled: level.filled + (isGranted ? units : 0) })) }
}
