/** The shortest and the longest time for which a method is not called, ms. */
const shortest = 1_000
const longest = 60_000

interface MethodRefusal {
  readonly until: number
  readonly interval: number
}

/**
 * Methods that a node refuses with a limit while it responds to others: it may not offer them at all. Each refusal soon
 * after such a time doubles the next.
 */
export const make = () => {
  const refusals = new Map<string, MethodRefusal>()

  /** A remaining time above its length means that the clock was set back. */
  const isLimited = ({ interval, until }: MethodRefusal, now: number) => now < until && until <= now + interval

  const isRecent = ({ interval, until }: MethodRefusal, now: number) =>
    now < until + interval && until <= now + interval

  return {
    isLimited: (method: string, now: number): boolean => {
      const refusal = refusals.get(method)
      return refusal !== undefined && isLimited(refusal, now)
    },
    /** Records that the method was refused. Returns true if no other was lately: then the limit is not of the node. */
    isOnly: (method: string, now: number): boolean => {
      for (const [other, refusal] of refusals) if (!isRecent(refusal, now)) refusals.delete(other)
      const refusal = refusals.get(method)
      if (refusals.size > (refusal === undefined ? 0 : 1)) {
        refusals.clear()
        return false
      }
      if (refusal === undefined || !isLimited(refusal, now)) {
        const interval = Math.min(longest, refusal === undefined ? shortest : 2 * refusal.interval)
        refusals.set(method, { interval, until: now + interval })
      }
      return true
    }
  }
}
