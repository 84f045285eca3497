/** After failures an address is asked last for so long at most, ms. */
const longestRest = 30_000

/** No address is left alone for longer than this, whatever it asks for, ms. */
const longestBlock = 10 * 60 * 1000

/**
 * When one address is better not asked, by how its calls ended. A pause that is longer than any is left from a clock that
 * was set back, and is over.
 */
export const make = () => {
  let strikes = 0
  let restUntil = 0
  let blockedUntil = 0

  const blockedFor = (now: number): number => (blockedUntil > now + longestBlock ? 0 : Math.max(0, blockedUntil - now))

  return {
    /** Whether it failed a moment ago, so that others are asked first. */
    resting: (now: number): boolean => restUntil > now && restUntil <= now + longestRest,
    /** How long it still wants to be left alone, ms. */
    blockedFor,
    /** A call ended; `retryAfter` is the rest that it asked for, ms. */
    ended: (now: number, answered: boolean, retryAfter = 0): void => {
      strikes = answered ? 0 : strikes + 1
      restUntil = answered ? 0 : now + Math.min(1_000 * 2 ** (strikes - 1), longestRest)
      const block = Math.min(retryAfter, longestBlock)
      if (block > blockedFor(now)) blockedUntil = now + block
    }
  }
}
