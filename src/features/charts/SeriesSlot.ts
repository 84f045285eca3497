import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { keyOf, type Series, type SeriesId, shapes } from "./Series.ts"

/** Where a series is held, and when it is fetched next. */
export interface SeriesSlot {
  readonly id: SeriesId
  readonly key: string
  /** So long it stays as it is, ms. */
  readonly every: number
  /** Done once it was fetched, or could not be. */
  readonly tried: Deferred.Deferred<void>
  held: Series | undefined
  /** Attempts that failed since the last good one. */
  failures: number
  /** After a failed attempt it is left alone until then, ms. */
  notBefore: number
  /** Why it is not there, for clients. */
  message: string
}

export const notYet = "it has not been fetched yet"

export const make = (id: SeriesId, base: number): SeriesSlot => ({
  id,
  key: keyOf(id),
  every: base * shapes[id.period].lasts,
  tried: Deferred.unsafeMake(FiberId.none),
  held: undefined,
  failures: 0,
  notBefore: 0,
  message: notYet
})

/** Whether a stored series is to replace what is held. A time to come is left from a clock that was set back. */
export const isNewer = (stored: Series, { held }: SeriesSlot, now: number): boolean =>
  held === undefined || (stored.at !== held.at && (stored.at > held.at || held.at > now))

/** Puts a series in the place of the one before. */
export const take = (place: SeriesSlot, series: Series): void => {
  place.held = series
  place.failures = 0
  place.notBefore = 0
  Deferred.unsafeDone(place.tried, Exit.void)
}

/** After each failed attempt the pause doubles, from a minute up to the time for which a good series lasts. */
export const fail = (place: SeriesSlot, message: string, now: number): void => {
  place.notBefore = now + Math.min(60_000 * 2 ** place.failures, place.every)
  place.failures++
  place.message = message
  Deferred.unsafeDone(place.tried, Exit.void)
}

/** When the series would be due by its age; of one from a time to come nobody knows the age. */
const expiry = ({ every, held }: SeriesSlot, now: number): number =>
  held === undefined || held.at > now ? 0 : held.at + every

/** No pause is longer than the series lasts: one that seems to be was begun before the clock was set back. */
const pausedUntil = ({ every, notBefore }: SeriesSlot, now: number): number => (notBefore > now + every ? 0 : notBefore)

export const dueAt = (place: SeriesSlot, now: number): number => Math.max(expiry(place, now), pausedUntil(place, now))

/** What is fetched next: of those that are due the first that was never loaded, or else the most overdue; or what is due first. */
export const next = (places: ReadonlyArray<SeriesSlot>, now: number): SeriesSlot => {
  const due = places.filter((place) => dueAt(place, now) <= now)
  const rank = due.length > 0 ? (place: SeriesSlot) => expiry(place, now) : (place: SeriesSlot) => dueAt(place, now)
  return (due.length > 0 ? due : places).reduce((first, seriesSlot) => {
    if (due.length > 0 && (first.held === undefined) !== (seriesSlot.held === undefined))
      return first.held === undefined ? first : seriesSlot
    return rank(seriesSlot) < rank(first) ? seriesSlot : first
  })
}
