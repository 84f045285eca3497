/** The shortest and the longest time for which a method is not called, ms. */
const shortest = 1_000
const longest = 60_000

/** Limits of the methods that are remembered: clients choose the names of methods. */
const max = { methods: 100, nameLength: 100 }

interface MethodRefusal {
  readonly until: number
  readonly interval: number
}

/**
 * Methods that a node refuses with a limit: it may not offer them at all. Each refusal soon after such a time doubles the
 * next. However many methods it refuses, the others may work: clients choose which of them are called.
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
    /** Records that the method was refused. */
    refused: (method: string, now: number): void => {
      for (const [other, refusal] of refusals) if (!isRecent(refusal, now)) refusals.delete(other)
      const refusal = refusals.get(method)
      if (refusal === undefined && (refusals.size >= max.methods || method.length > max.nameLength)) return
      if (refusal !== undefined && isLimited(refusal, now)) return
      const interval = Math.min(longest, refusal === undefined ? shortest : 2 * refusal.interval)
      refusals.set(method, { interval, until: now + interval })
    }
  }
}
