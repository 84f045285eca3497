import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The results for many keys. A key in neither map does not exist. */
export interface CacheLookup<A, E> {
  readonly found: ReadonlyMap<string, A>
  readonly failed: ReadonlyMap<string, E>
}

/** Whether a key was in memory or in the store; a cached failure counts as absent. */
export type CacheResult = "hit" | "stale" | "miss" | "absent"

export interface Entry<A, E> {
  readonly outcome: Exit.Exit<Option.Option<A>, E>
  readonly at: number
  readonly freshUntil: number
  readonly until: number
}

export interface Lifetimes<A> {
  /** Younger values are served without a refresh. Age counts from the end of the lookup. */
  readonly fresh: Duration.DurationInput
  /** For this time afterwards, values are served while a newer value is looked up in the background. */
  readonly stale: Duration.DurationInput
  /** Latest expiry of a value (UNIX time, ms), regardless of when it was looked up. */
  readonly expires?: (value: A) => number
  /** How long a key without a value is cached; in memory only. */
  readonly notFound: Duration.DurationInput
  /** How long a failed key is not looked up again; in memory only. */
  readonly failure: Duration.DurationInput
}

/** Clock corrections are smaller, ms. A larger difference means a clock set back and an entry of unknown age. */
const maxClockCorrection = 60_000

const isOver = ({ at, until }: Entry<unknown, unknown>, now: number) => now >= until || at - now > maxClockCorrection

export const resultOf = (entry: Entry<unknown, unknown>, now: number): CacheResult => {
  if (isOver(entry, now)) return "miss"
  if (now >= entry.freshUntil) return "stale"
  return Exit.isSuccess(entry.outcome) && Option.isSome(entry.outcome.value) ? "hit" : "absent"
}

/** Time for which a process serves a stale value that another process refreshes, ms. */
const postponement = 1_000

/** The entry while another process refreshes it. */
export const postponed = <A, E>(entry: Entry<A, E>, now: number): Entry<A, E> => ({
  ...entry,
  freshUntil: Math.min(now + postponement, entry.until)
})

/** The outcome for one key of a lookup of many keys. */
export const outcomeOf = <A, E>(exit: Exit.Exit<CacheLookup<A, E>, E>, key: string): Entry<A, E>["outcome"] => {
  if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
  const { failed, found } = exit.value
  const failure = failed.get(key)
  return failure === undefined || found.has(key)
    ? Exit.succeed(Option.fromNullable(found.get(key)))
    : Exit.fail(failure)
}

/** The value of an entry, or undefined if it has no value; with `now`, also if it is not valid at that time. */
export const valueOf = <A, E>(entry: Entry<A, E> | undefined, now?: number): A | undefined =>
  entry === undefined || (now !== undefined && isOver(entry, now)) || Exit.isFailure(entry.outcome)
    ? undefined
    : Option.getOrUndefined(entry.outcome.value)

/** How long outcomes are served, and which outcome replaces which. Pure: times are parameters, ms. */
export const policy = <A, E>(lifetimes: Lifetimes<A>) => {
  const fresh = Duration.toMillis(lifetimes.fresh)
  const notFound = Duration.toMillis(lifetimes.notFound)
  const failure = Duration.toMillis(lifetimes.failure)
  /** The longest time that a value is served. */
  const longest = fresh + Duration.toMillis(lifetimes.stale)

  /** The entry of an outcome that was looked up at `at`. */
  const entryOf = (outcome: Entry<A, E>["outcome"], at: number): Entry<A, E> => {
    if (Exit.isFailure(outcome)) return { outcome, at, freshUntil: at + failure, until: at + failure }
    if (Option.isNone(outcome.value)) return { outcome, at, freshUntil: at + notFound, until: at + notFound }
    const end = Math.min(at + longest, lifetimes.expires?.(outcome.value.value) ?? Number.POSITIVE_INFINITY)
    return { outcome, at, freshUntil: Math.min(at + fresh, end), until: end }
  }

  /** The entry after a refresh. A failed refresh keeps a value that is still valid and only delays the next refresh. */
  const refreshed = (outcome: Entry<A, E>["outcome"], previous: Entry<A, E> | undefined, now: number): Entry<A, E> => {
    const entry = entryOf(outcome, now)
    return Exit.isFailure(outcome) && previous !== undefined && now < previous.until
      ? { ...previous, freshUntil: entry.freshUntil }
      : entry
  }

  /** The entry of a stored value, if valid. A time in the future (a clock was set back) makes its age unknown. */
  const restored = (value: A, at: number, now: number): Entry<A, E> | undefined => {
    const entry = entryOf(Exit.succeed(Option.some(value)), at)
    return at <= now && !isOver(entry, now) ? entry : undefined
  }

  return { longest, entryOf, refreshed, restored }
}
