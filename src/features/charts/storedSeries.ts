import * as Effect from "effect/Effect"
import { dated } from "../../storage/Store.ts"
import { keyOf, type Series, type SeriesId, Stored } from "./Series.ts"

/** Longer than the longest period: a chart that is old is better than none. */
const kept = "400 days"

/** Series in the store, each in one entry of its own: a reader gets one that was written, and never a part of it. Cannot fail. */
export const stored = Effect.map(dated("charts", 1, Stored), (store) => ({
  /** Those of these that are there, by key. */
  load: (ids: ReadonlyArray<SeriesId>): Effect.Effect<ReadonlyMap<string, Series>> =>
    Effect.map(store.getMany(ids.map(keyOf)), (found) => {
      const series = new Map<string, Series>()
      for (const id of ids) {
        const entry = found.get(keyOf(id))
        if (entry !== undefined) series.set(keyOf(id), { ...entry.value, ...id, at: entry.at })
      }
      return series
    }),
  keep: (series: Series): Effect.Effect<void> => {
    const { at, candles, source } = series
    return store.setMany(new Map([[keyOf(series), { at, value: { candles, source } }]]), kept)
  }
}))
