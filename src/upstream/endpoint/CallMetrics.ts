import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import type { Reason } from "../../domain/Reason.ts"
import { once } from "../../kernel/once.ts"

// A metric with labels in its key looks up its state once; a metric that is tagged later looks it up each time.
const calls = MetricKey.counter("upstream_calls_total", {
  description: "Calls to upstreams by outcome",
  incremental: true
})
const seconds = MetricKey.histogram(
  "upstream_call_duration_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from a call to the end of its response"
)

/** Records the outcomes of calls to this upstream, with their times in ms. */
export const make = (upstream: string) => {
  const label = MetricLabel.make("upstream", upstream)
  // Built lazily: after a start, many upstreams are not called for a while.
  const times = once(() => Metric.fromMetricKey(MetricKey.taggedWithLabels(seconds, [label])))
  const counters = new Map<string, Metric.Metric.Counter<number>>()

  const counterOf = (outcome: string) => {
    const existing = counters.get(outcome)
    if (existing !== undefined) return existing
    const labels = [label, MetricLabel.make("outcome", outcome)]
    const counter = Metric.fromMetricKey(MetricKey.taggedWithLabels(calls, labels))
    counters.set(outcome, counter)
    return counter
  }

  return (outcome: Reason | "ok" | "interrupted", time: number): void => {
    counterOf(outcome).unsafeUpdate(1, [])
    times().unsafeUpdate(time / 1000, [])
  }
}
