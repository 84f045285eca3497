import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The results for many keys: a key that is in neither map is known not to exist. */
export interface CacheAnswer<A, E> {
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
  /** Younger values are served as they are. Age counts from the end of the lookup. */
  readonly fresh: Duration.DurationInput
  /** For that time afterwards, values are served while a newer one is looked up in the background. */
  readonly stale: Duration.DurationInput
  /** When a value expires at the latest, whenever it was looked up (ms). */
  readonly expires?: (value: A) => number
  /** How long it is cached that a key has no value; in memory only. */
  readonly notFound: Duration.DurationInput
  /** How long a failed key is not looked up again; in memory only. */
  readonly failure: Duration.DurationInput
}

/** Corrections of a clock are small; by more than this, ms, it was set back, and the age of an entry is unknown. */
const settingBack = 60_000

const isOver = ({ at, until }: Entry<unknown, unknown>, now: number) => now >= until || at - now > settingBack

export const resultOf = (entry: Entry<unknown, unknown>, now: number): CacheResult => {
  if (isOver(entry, now)) return "miss"
  if (now >= entry.freshUntil) return "stale"
  return Exit.isSuccess(entry.outcome) && Option.isSome(entry.outcome.value) ? "hit" : "absent"
}

/** The outcome of a lookup of many keys for one of them. */
export const outcomeOf = <A, E>(exit: Exit.Exit<CacheAnswer<A, E>, E>, key: string): Entry<A, E>["outcome"] => {
  if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
  const { failed, found } = exit.value
  const failure = failed.get(key)
  return failure === undefined || found.has(key)
    ? Exit.succeed(Option.fromNullable(found.get(key)))
    : Exit.fail(failure)
}

/** The value of an entry, if there is one; with a time, only if it is still valid then. */
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

  /** Looked up at that time. */
  const entryOf = (outcome: Entry<A, E>["outcome"], at: number): Entry<A, E> => {
    if (Exit.isFailure(outcome)) return { outcome, at, freshUntil: at + failure, until: at + failure }
    if (Option.isNone(outcome.value)) return { outcome, at, freshUntil: at + notFound, until: at + notFound }
    const end = Math.min(at + longest, lifetimes.expires?.(outcome.value.value) ?? Number.POSITIVE_INFINITY)
    return { outcome, at, freshUntil: Math.min(at + fresh, end), until: end }
  }

  /** After a refresh. A failed refresh leaves a value that is still valid, and only delays the next refresh. */
  const refreshed = (outcome: Entry<A, E>["outcome"], previous: Entry<A, E> | undefined, now: number): Entry<A, E> => {
    const entry = entryOf(outcome, now)
    return Exit.isFailure(outcome) && previous !== undefined && now < previous.until
      ? { ...previous, freshUntil: entry.freshUntil }
      : entry
  }

  /** A value from the store. A time in the future is left from a clock that was set back: the age is unknown. */
  const restored = (value: A, at: number, now: number): Entry<A, E> | undefined => {
    const entry = entryOf(Exit.succeed(Option.some(value)), at)
    return at <= now && !isOver(entry, now) ? entry : undefined
  }

  return { longest, entryOf, refreshed, restored }
}
