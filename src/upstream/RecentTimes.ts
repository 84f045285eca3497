const remembered = 64

/** Minimum number of times for a percentile. */
const enough = 8

/** Stores the newest times, ms, and computes the percentile of this share (0 to 1). */
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
    /** The percentile; undefined if there are too few times. */
    longest: (): number | undefined => longest,
    /** The percentile of any number of times; undefined without times. */
    soFar: (): number | undefined => longest ?? percentile(times.slice(0, count), share)
  }
}

const percentile = (times: Float64Array, share: number): number | undefined =>
  times.sort()[Math.min(times.length - 1, Math.floor(times.length * share))]
