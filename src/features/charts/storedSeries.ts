import * as Effect from "effect/Effect"
import { dated } from "../../storage/Store.ts"
import { keyOf, type Series, type SeriesId, Stored } from "./Series.ts"

/** Longer than the longest period: an old chart is better than none. */
const retention = "400 days"

/** Series in the store, one entry each, so that a reader never gets a part of a series. Cannot fail. */
export const stored = Effect.map(dated("charts", 1, Stored), (store) => ({
  /** The stored ones of these series, by key. */
  load: (ids: ReadonlyArray<SeriesId>): Effect.Effect<ReadonlyMap<string, Series>> =>
    Effect.map(store.getMany(ids.map(keyOf)), (found) => {
      const series = new Map<string, Series>()
      for (const id of ids) {
        const entry = found.get(keyOf(id))
        if (entry !== undefined) series.set(keyOf(id), { ...entry.value, ...id, at: entry.at })
      }
      return series
    }),
  save: (series: Series): Effect.Effect<void> => {
    const { at, candles, source } = series
    return store.setMany(new Map([[keyOf(series), { at, value: { candles, source } }]]), retention)
  }
}))
