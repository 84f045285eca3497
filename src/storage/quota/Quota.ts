/** What a bucket of a quota contains: units that leak steadily, settled at a time, ms. */
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
  /** Where fewer are free, nothing is granted; where as many are, as many of `units` as are free. */
  readonly least: number
  /** Then all `units` are granted, also those that are not free: they are owed. */
  readonly owing: boolean
  /** Units that are free within this time count as free, ms. */
  readonly wait: number
  /** The share of each capacity, 0 to 1, that has to be left. */
  readonly reserve: number
  /** Further units, if they are free now and all `units` were granted. */
  readonly ahead: number
  /** Units that were used without the store, or, below zero, that are given back. Added in any case, and first. */
  readonly used: number
}

export interface Taken {
  readonly granted: number
  /** The levels afterwards, in the order of the buckets. */
  readonly levels: ReadonlyArray<Level>
}

/** Less than any relevant part of a unit: sums of fractions are not exact. */
const tiny = 1e-6

/** Clocks of machines differ; a time that is further in the future is left from a clock that was set back, ms. */
export const maxSkew = 60_000

/** No level stays longer than this, ms. */
const longestStay = 62 * 24 * 60 * 60 * 1000

/** A level that has leaked stays for this time, ms: a store and this process may measure time differently. */
const slack = 10 * 60_000

/** How long a level is of use: until it has leaked, ms. */
export const stay = (filled: number, { interval }: Bucket) =>
  Math.ceil(Math.min(filled * interval + slack, longestStay))

const settled = ({ interval, known }: Bucket, stored: Level | undefined, used: number, now: number): Level => {
  const { at, filled, since } = stored ?? { ...known, at: now }
  const from = at > now + maxSkew ? now : at
  const left = Math.max(0, filled - Math.max(0, now - from) / interval)
  return { filled: Math.max(0, left + used), at: Math.max(from, now), since }
}

/** How many units are free within `wait`; an empty bucket has one at least. */
const free = (levels: ReadonlyArray<Level>, { buckets, reserve }: Taking, wait: number) =>
  Math.min(
    ...buckets.map(
      ({ capacity, interval }, index) =>
        Math.max(1, capacity * (1 - reserve)) + wait / interval - (levels[index]?.filled ?? 0)
    )
  ) + tiny

/** What is granted of buckets whose stored levels are these (undefined: none). The script of Redis does the same. */
export const take = (taking: Taking, stored: ReadonlyArray<Level | undefined>, now: number): Taken => {
  const levels = taking.buckets.map((bucket, index) => settled(bucket, stored[index], taking.used, now))
  const soon = Math.floor(free(levels, taking, taking.wait))
  const { ahead, least, owing, units } = taking
  const wanted = soon < least ? 0 : owing ? units : Math.max(0, Math.min(units, soon))
  const more = wanted < units ? 0 : Math.max(0, Math.min(ahead, Math.floor(free(levels, taking, 0)) - wanted))
  const granted = wanted + more
  return { granted, levels: levels.map((level) => ({ ...level, filled: level.filled + granted })) }
}
