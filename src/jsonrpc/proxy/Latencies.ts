import * as RecentTimes from "../../upstream/RecentTimes.ts"

const longestMemory = 60_000

/** How long the calls of each method take, ms; bounded by the methods that the dialect knows. */
export const byMethod = () => {
  const known = new Map<string, ReturnType<typeof RecentTimes.make>>()
  return {
    add: (method: string, time: number): void => {
      const times = known.get(method) ?? RecentTimes.make(0.9)
      known.set(method, times)
      times.add(time)
    },
    /** Undefined while there are too few. */
    p90: (method: string): number | undefined => known.get(method)?.longest()
  }
}

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
