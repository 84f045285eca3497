import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Activity from "./Activity.ts"
import { hedged } from "./hedge.ts"
import { IsLastResort } from "./Probes.ts"

/**
 * Whether a source should be called now: it `works`; a `probe` tests it after a failure, in parallel with the next
 * source; its limits delay the call (`limited`); it failed a moment ago (`failing`); it was silent a moment ago and
 * rejects the call (`silent`); it demanded a pause (`blocked`); or the operator switched it off (`off`).
 */
export type SourceState = "works" | "probe" | "limited" | "failing" | "silent" | "blocked" | "off"

export interface Standing {
  readonly state: SourceState
  /** Time without a response after which it is slower than usual, ms. */
  readonly usual: number
}

/** An address of an upstream, an upstream, or a client over an upstream. */
export interface Source {
  readonly standing: Effect.Effect<Standing>
}

/** Lower ranks first. A probe has that of a working source, because only a call can show that the source works again. */
export const ranks: Readonly<Record<SourceState, number>> = {
  works: 0,
  probe: 0,
  limited: 1,
  failing: 2,
  silent: 3,
  blocked: 4,
  off: 5
}

/** A source whose limits delay a call becomes the hedge only after this multiple of the usual time. */
const limitedShare = 3

/** True if it should be called now, and not only as the last resort. */
export const isAvailable = ({ state }: Standing): boolean => ranks[state] === ranks.works

export const better = (standing: Standing, other: Standing): boolean => ranks[standing.state] < ranks[other.state]

/** Working sources first; sources of equal rank in their order. Sources that are off only if no other can be called. */
export const ordered = <S extends Source>(sources: ReadonlyArray<S>) =>
  Effect.map(
    Effect.forEach(sources, (source) => Effect.map(source.standing, (standing) => ({ ...standing, source }))),
    (all) => {
      const used = all.filter(({ state }) => state !== "off")
      // Without an address, a source is blocked too.
      const isUsable = used.some(({ state }) => state !== "blocked")
      return (isUsable ? used : all).sort((ranked, other) => ranks[ranked.state] - ranks[other.state])
    }
  )

/** Time until no call of this activity has started or ended for the usual time, ms. */
const untilSilent =
  (activity: Activity.Activity, usual: number) =>
  (now: number): number =>
    // A clock that was set back must not make a call wait for longer than usual.
    activity.waiting > 0 ? usual : Math.min(activity.at + usual - now, usual)

/**
 * Reads from one source after another until a read succeeds, in the order of {@link ordered}: from the next source when
 * the previous source failed, or in parallel when it is silent for longer than usual. The first success wins, and the
 * other reads are interrupted. Reads must be repeatable; each gets the following sources. If all fail and at least one
 * responded, sources that were silent a moment ago are tested. Fails with the failure of the last source, with a
 * failure that stops, or with `none`.
 */
export const first = <S extends Source, A, E>(
  sources: ReadonlyArray<S>,
  read: (source: S, others: ReadonlyArray<S>) => Effect.Effect<A, E>,
  { none, stops = () => false }: { readonly none: E; readonly stops?: ((error: E) => boolean) | undefined }
): Effect.Effect<A, E> => {
  const [only] = sources
  if (only === undefined) return Effect.fail(none)
  if (sources.length === 1) return read(only, [])
  return Effect.gen(function* () {
    const whole = yield* Activity.CurrentActivity
    const ranked = yield* ordered(sources)
    let hasFailed = false
    const from = (index: number): Effect.Effect<A, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const current = ranked[index]
        if (current === undefined) return Effect.fail(none)
        const activity = Activity.begun(now, whole)
        const others = ranked.slice(index + 1).map(({ source }) => source)
        const reading = Effect.tapError(
          Effect.provideService(read(current.source, others), Activity.CurrentActivity, activity),
          () => {
            hasFailed ||= activity.answered
            return Effect.void
          }
        )
        const next = ranked[index + 1]
        if (next === undefined) return reading
        const left =
          next.state === "limited"
            ? untilSilent(activity, limitedShare * current.usual)
            : current.state === "probe"
              ? () => 0
              : untilSilent(activity, current.usual)
        return hedged(reading, from(index + 1), left, stops)
      })
    const silent = ranked.filter(({ state }) => state === "silent")
    return yield* Effect.catchAll(from(0), (error) =>
      hasFailed && silent.length > 0 && !stops(error)
        ? Effect.orElseFail(
            Effect.firstSuccessOf(
              silent.map(({ source }) => Effect.provideService(read(source, []), IsLastResort, true))
            ),
            () => error
          )
        : Effect.fail(error)
    )
  })
}

export interface FirstOfOptions<A, E> {
  /** The failure if there are no sources. */
  readonly none: E
  /** True if a result is complete; by default, all are. */
  readonly isWhole?: ((result: A) => boolean) | undefined
  /** True if an incomplete result is better than the best so far; by default, the first is the best. */
  readonly isBetter?: (result: A, best: A) => boolean
  /** Selects the failure if there is no result; by default, the last. */
  readonly reason?: (failures: ReadonlyArray<E>) => E | undefined
  /** True if no other source is used after this failure. */
  readonly stops?: (error: E) => boolean
}

/** Like {@link first}, until a result is complete; otherwise returns the best result, or fails without a result. */
export const firstOf = <S extends Source, A, E>(
  sources: ReadonlyArray<S>,
  read: (source: S, others: ReadonlyArray<S>) => Effect.Effect<A, E>,
  { isBetter = () => false, isWhole = () => true, none, reason = () => undefined, stops }: FirstOfOptions<A, E>
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
    const stopping = stops && ((error: E) => error !== none && stops(error))
    return Effect.catchAll(first(sources, from, { none, stops: stopping }), (error) =>
      best === undefined ? Effect.fail(reason(failures) ?? error) : Effect.succeed(best.result)
    )
  })

/** The results for some keys so far. */
export type SourceResult<K, A, E> = Map<K, Either.Either<A, E>>

export type Report<K, A, E> = (key: K, result: Either.Either<A, E>) => void

/** Reads several keys from a source, and reports each result when it is available. */
export type QueryEach<S, K, A, E> = (
  source: S,
  keys: ReadonlyArray<K>,
  report: Report<K, A, E>,
  others: ReadonlyArray<S>
) => Effect.Effect<void>

/**
 * Reads several keys: from each source the keys that previous sources did not return, by the rules of {@link first}.
 * `read` reports each result, so no result of a slow source is lost. A key without a result has a failure or is absent.
 */
export const each = <S extends Source, K, A, E>(
  sources: ReadonlyArray<S>,
  keys: Iterable<K>,
  read: QueryEach<S, K, A, E>,
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
      const reading = missing.length === 0 ? Effect.void : read(source, missing, report, others)
      return Effect.flatMap(reading, () => (open().length === 0 ? Effect.void : Effect.fail(incomplete)))
    })
  return Effect.as(Effect.ignore(first(sources, from, { none: incomplete })), found)
}

const incomplete = "incomplete"

const isFound = <A, E>(result: Either.Either<A, E> | undefined) => result !== undefined && Either.isRight(result)
