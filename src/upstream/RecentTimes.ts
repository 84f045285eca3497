/** How many times are remembered. */
const remembered = 64

/** With fewer, nothing is said. */
const enough = 8

/** The newest times of something, ms, and how long a share of them took at most. */
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
    /** Undefined while there are too few. */
    longest: (): number | undefined => longest,
    /** As far as is known; undefined where nothing is. */
    soFar: (): number | undefined => longest ?? percentile(times, share)
  }
}

const percentile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]
