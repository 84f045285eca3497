import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Activity from "./Activity.ts"
import { hedged } from "./hedge.ts"

/**
 * Whether a source is to be called now: it works; it is tried out after a failure, so that nothing waits for it alone; its
 * limits make a call wait; it is open after a failure; it demanded a pause.
 */
export type SourceState = "works" | "trial" | "limited" | "resting" | "blocked"

export interface Standing {
  readonly state: SourceState
  /** After so much silence it is slower than usual, ms. */
  readonly usual: number
}

/** What can be read from: an address of an upstream, an upstream, or something made of an upstream. */
export interface Source {
  readonly standing: Effect.Effect<Standing>
}

/** A trial keeps its rank: some call has to find out that a source works again. */
const ranks: Readonly<Record<SourceState, number>> = { works: 0, trial: 0, limited: 1, resting: 2, blocked: 3 }

/** A source that has to wait for its own limits is the hedge only after this multiple of the usual time. */
const limitedShare = 3

/** Whether it is worth a call now, and not only as the last resort. */
export const isAvailable = ({ state }: Standing): boolean => ranks[state] === ranks.works

export const better = (standing: Standing, other: Standing): boolean => ranks[standing.state] < ranks[other.state]

interface Ranked<S> extends Standing {
  readonly source: S
}

/** Those first that work; equals stay in their order. */
export const ordered = <S extends Source>(sources: ReadonlyArray<S>): Effect.Effect<ReadonlyArray<Ranked<S>>> =>
  Effect.map(
    Effect.forEach(sources, (source) => Effect.map(source.standing, (standing) => ({ ...standing, source }))),
    (all) => all.sort((item, other) => ranks[item.state] - ranks[other.state])
  )

/** How long until no call of this activity has begun or ended for the usual time, ms. */
const untilSilent =
  (activity: Activity.Activity, usual: number) =>
  (now: number): number =>
    // A clock that was set back makes nothing wait for longer than usual.
    activity.waiting > 0 ? usual : Math.min(activity.at + usual - now, usual)

/**
 * Reads from one source after another until one succeeds, in the order of {@link ordered}: from the next when the one
 * before has failed, and beside it when that is silent for longer than usual. The first success wins, and the others are
 * interrupted. Reads must be repeatable; each is given the sources that follow. Fails as the last source does, as one
 * whose failure stops, or with `none`.
 */
export const first = <S extends Source, A, E>(
  sources: ReadonlyArray<S>,
  ask: (source: S, others: ReadonlyArray<S>) => Effect.Effect<A, E>,
  { none, stops = () => false }: { readonly none: E; readonly stops?: (error: E) => boolean }
): Effect.Effect<A, E> => {
  const [only] = sources
  if (only === undefined) return Effect.fail(none)
  if (sources.length === 1) return ask(only, [])
  return Effect.gen(function* () {
    const whole = yield* Activity.CurrentActivity
    const ranked = yield* ordered(sources)
    const from = (index: number): Effect.Effect<A, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const item = ranked[index]
        if (item === undefined) return Effect.fail(none)
        const activity = Activity.begun(now, whole)
        const others = ranked.slice(index + 1).map(({ source }) => source)
        const reading = Effect.provideService(ask(item.source, others), Activity.CurrentActivity, activity)
        const next = ranked[index + 1]
        if (next === undefined) return reading
        const left =
          next.state === "limited"
            ? untilSilent(activity, limitedShare * item.usual)
            : item.state === "trial"
              ? () => 0
              : untilSilent(activity, item.usual)
        return hedged(reading, from(index + 1), left, stops)
      })
    return yield* from(0)
  })
}

export interface FirstOfOptions<A, E> {
  /** The failure where there are no sources. */
  readonly none: E
  /** Whether nothing else is needed; all results are whole without it. */
  readonly isWhole?: (result: A) => boolean
  /** Whether a result that is not whole is worth more than the best one before; the first is the best without it. */
  readonly isBetter?: (result: A, best: A) => boolean
  /** The failure that is passed on where there is no result; the last one without it. */
  readonly reason?: (failures: ReadonlyArray<E>) => E | undefined
}

/** As {@link first}, until a result is whole; where none is, the best result, or a failure where there is none. */
export const firstOf = <S extends Source, A, E>(
  sources: ReadonlyArray<S>,
  read: (source: S, others: ReadonlyArray<S>) => Effect.Effect<A, E>,
  { isBetter = () => false, isWhole = () => true, none, reason = () => undefined }: FirstOfOptions<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let best: { readonly result: A } | undefined
    const failures: Array<E> = []
    const from = (source: S, others: ReadonlyArray<S>) =>
      Effect.flatMap(
        Effect.tapError(read(source, others), (error) => Effect.sync(() => failures.push(error))),
        (result) => {
          if (isWhole(result)) return Effect.succeed(result)
          if (best === undefined || isBetter(result, best.result)) best = { result }
          return Effect.fail(none)
        }
      )
    return Effect.catchAll(first(sources, from, { none }), (error) =>
      best === undefined ? Effect.fail(reason(failures) ?? error) : Effect.succeed(best.result)
    )
  })

/** What is known of some keys so far. */
export type SourceResult<K, A, E> = Map<K, Either.Either<A, E>>

/** Records the result of a source for one key. */
export type Report<K, A, E> = (key: K, result: Either.Either<A, E>) => void

/** Reads several keys from one source, and reports each result as soon as it is there. */
export type QueryEach<S, K, A, E> = (
  source: S,
  keys: ReadonlyArray<K>,
  report: Report<K, A, E>,
  others: ReadonlyArray<S>
) => Effect.Effect<void>

/**
 * Reads several keys; from the next source what those before did not return, under the rules of {@link first}. `ask`
 * reports each result, so that nothing is lost of a source that was too slow. What no source returns is a failure, or is
 * not in the result.
 */
export const each = <S extends Source, K, A, E>(
  sources: ReadonlyArray<S>,
  keys: Iterable<K>,
  ask: QueryEach<S, K, A, E>,
  found: SourceResult<K, A, E> = new Map()
): Effect.Effect<SourceResult<K, A, E>> => {
  const all = [...new Set(keys)]
  const open = () => all.filter((key) => !isFound(found.get(key)))
  const report: Report<K, A, E> = (key, result) => {
    if (!isFound(found.get(key))) found.set(key, result)
  }
  const from = (source: S, others: ReadonlyArray<S>) =>
    Effect.suspend(() => {
      const missing = open()
      const reading = missing.length === 0 ? Effect.void : ask(source, missing, report, others)
      return Effect.flatMap(reading, () => (open().length === 0 ? Effect.void : Effect.fail(incomplete)))
    })
  return Effect.as(Effect.ignore(first(sources, from, { none: incomplete })), found)
}

const incomplete = "incomplete"

const isFound = <A, E>(result: Either.Either<A, E> | undefined) => result !== undefined && Either.isRight(result)
