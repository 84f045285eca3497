import * as RecentTimes from "../../upstream/RecentTimes.ts"

/** Older averages are forgotten, ms. */
const maxAge = 60_000

/** How long the calls of each method take, ms; bounded by the methods that the policy knows. */
export const byMethod = () => {
  const methods = new Map<string, ReturnType<typeof RecentTimes.make>>()
  return {
    add: (method: string, time: number): void => {
      const times = methods.get(method) ?? RecentTimes.make(0.9)
      methods.set(method, times)
      times.add(time)
    },
    /** Undefined while there are too few. */
    p90: (method: string): number | undefined => methods.get(method)?.longest()
  }
}

/** How long one node takes, ms: an average in which the newest call counts most. */
export const ofNode = () => {
  let average: number | undefined
  let at = 0
  return {
    add: (time: number, now: number): void => {
      average = average === undefined ? time : average + 0.2 * (time - average)
      at = now
    },
    now: (now: number): number | undefined => (now - at > maxAge ? undefined : average)
  }
}
