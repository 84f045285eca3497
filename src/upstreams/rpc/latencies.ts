/** So many times of a method are remembered. */
const remembered = 64

/** With fewer, nothing is said about a method. */
const enough = 8

const longestMemory = 60_000

/** How long the calls of each method take, ms; bounded by the methods that the dialect knows. */
export const byMethod = () => {
  const known = new Map<string, { readonly times: Array<number>; next: number; p90: number | undefined }>()
  return {
    add: (method: string, time: number): void => {
      const entry = known.get(method) ?? { times: [], next: 0, p90: undefined }
      known.set(method, entry)
      entry.times[entry.next] = time
      entry.next = (entry.next + 1) % remembered
      if (entry.next % enough === 0) entry.p90 = percentile(entry.times, 0.9)
    },
    /** Undefined while there are too few. */
    p90: (method: string): number | undefined => known.get(method)?.p90
  }
}

const percentile = (times: ReadonlyArray<number>, share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]

/** How long one address takes, ms: an average in which the newest counts most. What is old is forgotten. */
export const ofAddress = () => {
  let average: number | undefined
  let at = 0
  return {
    add: (time: number, now: number): void => {
      average = average === undefined ? time : average + 0.2 * (time - average)
      at = now
    },
    now: (now: number): number | undefined => (now - at > longestMemory ? undefined : average)
  }
}
