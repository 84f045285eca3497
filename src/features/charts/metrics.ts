import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { SeriesSlot } from "./SeriesSlot.ts"

const ages = Metric.gauge("chart_series_age_seconds", {
  description: "Time since each series of candles was fetched, as of the last minutes"
})

const refreshes = Metric.counter("chart_refreshes_total", {
  description: "Attempts to fetch a series of candles, by source and outcome",
  incremental: true
})

/** Counts attempts and reports ages. Labels are coins, periods, sources and reasons out of fixed lists. */
export const metrics = Effect.sync(() => ({
  age: (slots: ReadonlyArray<SeriesSlot>, now: number): void => {
    for (const { id, series } of slots) {
      if (series === undefined) continue
      const gauge = ages.pipe(Metric.tagged("coin", id.coin), Metric.tagged("period", id.period))
      gauge.unsafeUpdate(Math.max(now - series.at, 0) / 1000, [])
    }
  },
  count: (source: string, outcome: string): void =>
    refreshes.pipe(Metric.tagged("source", source), Metric.tagged("outcome", outcome)).unsafeUpdate(1, [])
}))
