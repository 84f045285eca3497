/** The number of times that are remembered. */
const remembered = 64

/** The smallest number of times for a percentile. */
const enough = 8

/** The newest times, ms, and the longest of the given share of them. */
export const make = (share: number) => {
  const times: Array<number> = []
  let next = 0
  let longest: number | undefined
  return {
    add: (time: number): void => {
      times[next] = time
      next = (next + 1) % remembered
      if (next % enough === 0) longest = percentile(times, share)
    },
    /** Undefined where there are too few times. */
    longest: (): number | undefined => longest,
    /** The same by any number of times; undefined where there are none. */
    soFar: (): number | undefined => longest ?? percentile(times, share)
  }
}

const percentile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]
