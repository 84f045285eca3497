/** What a bucket contains: units that leak steadily, as of a time, ms. */
export interface Level {
  readonly filled: number
  readonly at: number
  /** When the counting began, ms. */
  readonly since: number
}

/** A leaky bucket of which all processes of the store take. */
export interface Bucket {
  /** Of this bucket among all of the store. */
  readonly name: string
  /** Units that may be taken at once after a pause. */
  readonly capacity: number
  /** The time in which one unit leaks, ms. */
  readonly interval: number
  /** Its level in the view of this process, for a store that has none or has lost it. */
  readonly known: Pick<Level, "filled" | "since">
}

/** What is to be taken of several buckets: the same number of each, or nothing of any. */
export interface Taking {
  readonly buckets: ReadonlyArray<Bucket>
  readonly units: number
  /** All `units` are granted where as many as this are free, and none where fewer are. What was not free is owed. */
  readonly least: number
  /** Units that are free within this time count as free, ms. */
  readonly wait: number
  /** The share of each capacity, 0 to 1, that has to be left. */
  readonly reserve: number
}

export interface Taken {
  readonly isGranted: boolean
  /** The levels afterwards, in the order of the buckets. */
  readonly levels: ReadonlyArray<Level>
}

/** Less than any relevant part of a unit: sums of fractions are not exact. */
export const tiny = 1e-6

/** Clocks of machines differ; a time that is further in the future is left from a clock that was set back, ms. */
export const maxSkew = 60_000

/** No level stays longer than this, ms. */
const longestStay = 62 * 24 * 60 * 60 * 1000

/** A level that has leaked stays for this time, ms: a store and this process may measure time differently. */
const slack = 10 * 60_000

/** How long a level is of use: until it has leaked, ms. */
export const stay = (filled: number, { interval }: Bucket) =>
  Math.ceil(Math.min(filled * interval + slack, longestStay))

/** The level at this time (ms) of a bucket out of which one unit leaks in each interval. */
export const settled = <L extends Pick<Level, "filled" | "at">>(level: L, interval: number, now: number): L => {
  const from = level.at > now + maxSkew ? now : level.at
  return {
    ...level,
    filled: Math.max(0, level.filled - Math.max(0, now - from) / interval),
    at: Math.max(from, now)
  }
}

/** What is granted of buckets whose stored levels are these (undefined: none). The script of Redis does the same. */
export const take = (
  { buckets, least, reserve, units, wait }: Taking,
  stored: ReadonlyArray<Level | undefined>,
  now: number
): Taken => {
  const before = buckets.map(({ interval, known }, index) =>
    settled(stored[index] ?? { ...known, at: now }, interval, now)
  )
  const isGranted = buckets.every(
    // An empty bucket has one unit at least.
    ({ capacity, interval }, index) =>
      Math.max(1, capacity * (1 - reserve)) + wait / interval - (before[index]?.filled ?? 0) + tiny >= least
  )
  return { isGranted, levels: before.map((level) => ({ ...level, filled: level.filled + (isGranted ? units : 0) })) }
}
