import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Activity from "./Activity.ts"
import { hedged } from "./hedge.ts"

/**
 * Whether a source is to be asked now: it works; it is being tried out after a rest, so that nobody waits for it alone; its
 * limits make a call wait; it rests after a failure; it asked to be left alone.
 */
export type State = "works" | "trial" | "limited" | "resting" | "blocked"

export interface Standing {
  readonly state: State
  /** After so much silence it is slower than usual, ms. */
  readonly usual: number
}

/** Whoever can be asked: an address of an upstream, an upstream, or something made of one. */
export interface Source {
  readonly standing: Effect.Effect<Standing>
}

/** A trial keeps its place: somebody has to find out that a source works again. */
const ranks: Readonly<Record<State, number>> = { works: 0, trial: 0, limited: 1, resting: 2, blocked: 3 }

/** A source that would have to wait for its own limits helps out only after so many times the usual time. */
const limitedShare = 3

/** Whether it is worth asking now, and not only where nobody else is left. */
export const isAvailable = ({ state }: Standing): boolean => ranks[state] === ranks.works

export const better = (standing: Standing, other: Standing): boolean => ranks[standing.state] < ranks[other.state]

interface Placed<S> extends Standing {
  readonly source: S
}

/** Those first that work; among equals as they stand. */
export const ordered = <S extends Source>(sources: ReadonlyArray<S>): Effect.Effect<ReadonlyArray<Placed<S>>> =>
  Effect.map(
    Effect.forEach(sources, (source) => Effect.map(source.standing, (standing) => ({ ...standing, source }))),
    (all) => all.sort((item, other) => ranks[item.state] - ranks[other.state])
  )

/** How long it is until no call of this activity has begun or ended for so long, ms. */
const untilSilent =
  (activity: Activity.Activity, usual: number) =>
  (now: number): number =>
    // A clock that was set back makes nobody wait for longer than usual.
    activity.waiting > 0 ? usual : Math.min(activity.at + usual - now, usual)

/**
 * Asks one source after another until one succeeds, in the order of {@link ordered}: the next one when the one before has
 * failed, and beside it when that one is silent for longer than usual. The first success wins, and the others are
 * interrupted. What is asked must be repeatable; it learns who comes after. Fails as the last one does, as one whose
 * failure stops, or with `none`.
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
    const placed = yield* ordered(sources)
    const from = (index: number): Effect.Effect<A, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const item = placed[index]
        if (item === undefined) return Effect.fail(none)
        const activity = Activity.begun(now, whole)
        const others = placed.slice(index + 1).map(({ source }) => source)
        const asked = Effect.provideService(ask(item.source, others), Activity.CurrentActivity, activity)
        const next = placed[index + 1]
        if (next === undefined) return asked
        const left =
          next.state === "limited"
            ? untilSilent(activity, limitedShare * item.usual)
            : item.state === "trial"
              ? () => 0
              : untilSilent(activity, item.usual)
        return hedged(asked, from(index + 1), left, stops)
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

/** Writes down what a source returned about one of them. */
export type Report<K, A, E> = (key: K, told: Either.Either<A, E>) => void

/** How several things are asked of one source; what it returns is written down as soon as it is there. */
export type QueryEach<S, K, A, E> = (
  source: S,
  keys: ReadonlyArray<K>,
  tell: Report<K, A, E>,
  others: ReadonlyArray<S>
) => Effect.Effect<void>

/**
 * Asks sources for several things; the next one for what the ones before did not tell, under the rules of {@link first}.
 * `ask` writes down what it learns, so that nothing is lost of a source that was too slow. What nobody tells is a failure,
 * or is not in the result.
 */
export const each = <S extends Source, K, A, E>(
  sources: ReadonlyArray<S>,
  keys: Iterable<K>,
  ask: QueryEach<S, K, A, E>,
  found: SourceResult<K, A, E> = new Map()
): Effect.Effect<SourceResult<K, A, E>> => {
  const all = [...new Set(keys)]
  const open = () => all.filter((key) => !isTold(found.get(key)))
  const tell: Report<K, A, E> = (key, told) => {
    if (!isTold(found.get(key))) found.set(key, told)
  }
  const from = (source: S, others: ReadonlyArray<S>) =>
    Effect.suspend(() => {
      const missing = open()
      const asked = missing.length === 0 ? Effect.void : ask(source, missing, tell, others)
      return Effect.flatMap(asked, () => (open().length === 0 ? Effect.void : Effect.fail(incomplete)))
    })
  return Effect.as(Effect.ignore(first(sources, from, { none: incomplete })), found)
}

const incomplete = "incomplete"

const isTold = <A, E>(told: Either.Either<A, E> | undefined) => told !== undefined && Either.isRight(told)
