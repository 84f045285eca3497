/** Change of the limit after an interval in which the process was late, or was not. */
const factors = { late: 0.8, inTime: 1.25 }

/** The limit is not reduced below this: a late process completes as many within the default deadline, if they are usual. */
const least = 32

/** Small requests that are admitted beyond a reduced limit, as a share of it. */
const smallShare = 1 / 4

/**
 * Limits the requests in progress to what the process bears: fewer than now while it is late, more while it is not
 * (multiplicative decrease and increase). Small requests have a reserve beyond it (trunk reservation).
 */
export const make = (max: number) => {
  let limit = max
  return {
    limit: (): number => limit,
    /** The number of requests beyond the limit that are admitted if they are small. */
    reserve: (): number => (limit < max ? Math.floor(smallShare * limit) : 0),
    /** Notes the end of an interval, with the requests in progress. */
    adapt: (isLate: boolean, inProgress: number): void => {
      const next = isLate
        ? Math.max(least, Math.floor(factors.late * Math.min(limit, inProgress)))
        : Math.ceil(factors.inTime * limit)
      limit = Math.min(max, next)
    }
  }
}
