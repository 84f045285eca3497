/** The shortest and the longest time for which a method is not called, ms. */
const shortest = 1_000
const longest = 60_000

/** Limits of the methods that are remembered: clients choose the names of methods. */
const max = { methods: 100, nameLength: 100 }

interface MethodRefusal {
  readonly at: number
  readonly until: number
  readonly interval: number
}

/**
 * Methods that a node refuses with a limit while it responds to others: it may not offer them at all. Each refusal soon
 * after such a time doubles the next. If two methods are refused and no call succeeds in between, the limit is the node's.
 */
export const make = () => {
  const refusals = new Map<string, MethodRefusal>()
  let lastSuccess = Number.NEGATIVE_INFINITY

  /** A remaining time above its length means that the clock was set back. */
  const isLimited = ({ interval, until }: MethodRefusal, now: number) => now < until && until <= now + interval

  const isRecent = ({ interval, until }: MethodRefusal, now: number) =>
    now < until + interval && until <= now + interval

  return {
    isLimited: (method: string, now: number): boolean => {
      const refusal = refusals.get(method)
      return refusal !== undefined && isLimited(refusal, now)
    },
    /** Records that a call succeeded. */
    succeeded: (now: number): void => {
      lastSuccess = now
    },
    /** Records that the method was refused. Returns true if no other was lately: then the limit is not of the node. */
    isOnly: (method: string, now: number): boolean => {
      let isOfNode = false
      for (const [other, refusal] of refusals) {
        if (!isRecent(refusal, now)) refusals.delete(other)
        else if (other !== method && refusal.at > lastSuccess) isOfNode = true
      }
      if (isOfNode) {
        refusals.clear()
        return false
      }
      const refusal = refusals.get(method)
      if (refusal === undefined && (refusals.size >= max.methods || method.length > max.nameLength)) return true
      if (refusal === undefined || !isLimited(refusal, now)) {
        const interval = Math.min(longest, refusal === undefined ? shortest : 2 * refusal.interval)
        refusals.set(method, { at: now, interval, until: now + interval })
      }
      return true
    }
  }
}
