/** The number of times that are remembered. */
const remembered = 64

/** The smallest number of times for a percentile. */
const enough = 8

/** The newest times, ms, and the longest of the given share of them. */
export const make = (share: number) => {
  const times = new Float64Array(remembered)
  let count = 0
  let next = 0
  let longest: number | undefined
  return {
    add: (time: number): void => {
      times[next] = time
      next = (next + 1) % remembered
      count = Math.max(count, next === 0 ? remembered : next)
      if (next % enough === 0) longest = percentile(times.slice(0, count), share)
    },
    /** Undefined where there are too few times. */
    longest: (): number | undefined => longest,
    /** The same by any number of times; undefined where there are none. */
    soFar: (): number | undefined => longest ?? percentile(times.slice(0, count), share)
  }
}

/** Sorts the times. */
const percentile = (times: Float64Array, share: number): number | undefined =>
  times.sort()[Math.min(times.length - 1, Math.floor(times.length * share))]
